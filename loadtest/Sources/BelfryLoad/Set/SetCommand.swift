import ArgumentParser
import Foundation
import LoadReport

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Several scenarios, listed in a file.",
        discussion: """
            Runs the scenarios of a file one after the other, each with its own server. Prints a table for each and a \
            summary at the end. The exit code is 1 if any of them failed; a missed goal is only reported. \
            loadtest/README.md describes the file's format.
            """)

    @Argument(help: "A scenario file, such as scenarios/quick.json.")
    var file: String

    @Option(help: "The belfry executable, which each run starts on a free port.")
    var spawn: String?

    @Flag(help: "Only validate the file.")
    var check = false

    @Option(name: .customLong("told-as"), help: .hidden)
    var reportedCommand: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard check || spawn != nil else { throw ValidationError("--spawn must name the server to start for each run") }
    }

    func run() async throws {
        let scenarios = try scenarios()
        let commands = try named { try scenarios.commands(spawning: spawn ?? "belfry") }
        for command in commands { try command.requireDescriptors() }
        if check { return OutputOptions.writeOutput("\(file): \(commands.count) runs\n") }
        let (started, start) = (Date(), Clock.now)
        var machine = Machine.current()
        var run = SetRun(scenarios: scenarios, commands: commands, isSilent: output.usesStandardOutput)
        await run.run()
        let seconds = Double(Clock.since(start)) / 1e9
        machine.noiseAfter = Noise.reading()
        let book = ReportBook(
            machine: machine, started: started.formatted(.iso8601),
            command: reportedCommand ?? CommandLineText.quoted(CommandLine.arguments), server: run.server,
            reports: run.reports, seconds: seconds, isDebugBuild: ReportBook.isDebugHere)
        if !output.usesStandardOutput { OutputOptions.writeOutput(book.summaryTable()) }
        try output.writeFiles(book)
        if !book.isGood { throw ExitCode(1) }
    }

    private func scenarios() throws -> ScenarioSet {
        guard let data = FileManager.default.contents(atPath: file) else { throw LoadError("cannot read \(file)") }
        return try named { try ScenarioSet(json: data) }
    }

    /// Adds the file's name to errors.
    private func named<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LoadError {
            throw LoadError("\(file): \(error)")
        }
    }
}
