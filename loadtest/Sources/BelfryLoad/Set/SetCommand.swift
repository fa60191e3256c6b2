import ArgumentParser
import Foundation
import LoadReport

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Several scenarios, as a file lists them.",
        discussion: """
            Runs the scenarios of a file one after the other, each with a server of its own, prints a table of each and \
            at the end one line for each. Exit code 1 when anything was wrong in one of them; a goal that was not \
            reached is told and nothing more. The file's format is described in loadtest/README.md.
            """)

    @Argument(help: "A scenario file, such as scenarios/quick.json.")
    var file: String

    @Option(help: "The belfry executable: each run starts it on a free port, and ends it.")
    var spawn: String?

    @Flag(help: "Only says whether the file can be run.")
    var check = false

    @Option(name: .customLong("told-as"), help: .hidden)
    var reportedCommand: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard check || spawn != nil else { throw ValidationError("give --spawn, the server to start for each run") }
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
