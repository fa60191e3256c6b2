import ArgumentParser
import BelfryClient
import Foundation
import LoadReport

/// Disambiguates the name, because the chat's model also has a `Report`.
typealias Report = LoadReport.Report

/// A command that runs one scenario against one server and reports the result.
protocol ScenarioCommand: AsyncParsableCommand {
    var target: TargetOptions { get }
    var output: OutputOptions { get }
    /// The number of concurrent connections of this process.
    var connections: Int { get }
    /// The number of concurrent connections of all processes together, and thus of the server.
    var allConnections: Int { get }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report
}

extension ScenarioCommand {
    var allConnections: Int { connections }

    func run() async throws {
        try requireDescriptors()
        let (started, start) = (Date(), Clock.now)
        var machine = Machine.current()
        let progress = Progress()
        let server = try target.server()
        defer { server.stop() }
        var report = try await report(of: server, progress)
        progress.clear()
        report.settings += server.settings
        if !server.isRunning { report.problems.insert("the server exited during the run", at: 0) }
        let seconds = Double(Clock.since(start)) / 1e9
        machine.noiseAfter = Noise.reading()
        let book = ReportBook(
            machine: machine, started: started.formatted(.iso8601),
            command: CommandLineText.quoted(CommandLine.arguments), server: server.version(), reports: [report],
            seconds: seconds, isDebugBuild: ReportBook.isDebugHere)
        try output.write(book)
        if !report.isGood { throw ExitCode(1) }
    }

    /// - Throws: `LoadError` if the descriptor limit of this process or of a spawned server is too low.
    func requireDescriptors() throws {
        try FileLimit.require(connections + FileLimit.own)
        // A spawned server has the same limit.
        if target.spawn != nil { try FileLimit.require(allConnections + FileLimit.own) }
    }

    /// Returns an id that distinguishes the users, channels and messages of this run from those of others on the
    /// server.
    func freshRun() -> String { String(UInt32.random(in: .min ... .max), radix: 36) }

    func channel(_ name: String) throws -> ChannelID {
        guard let channel = ChannelID(name) else { throw LoadError("invalid channel name") }
        return channel
    }
}
