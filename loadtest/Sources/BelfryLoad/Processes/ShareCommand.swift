import ArgumentParser
import BelfryClient
import Foundation

/// The internal command that `WorkerProcess` starts.
struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Some of the clients of another belfry-load.", shouldDisplay: false)

    @Argument(help: "The scenario.")
    var scenario: String

    func run() async throws {
        switch scenario {
        case StormShare.name: try await serve(StormShare.self)
        case IdleShare.name: try await serve(IdleShare.self)
        case FanoutShare.name: try await serve(FanoutShare.self)
        default: throw LoadError("\(scenario) cannot be split among processes")
        }
    }

    private func serve<S: Share>(_: S.Type) async throws {
        _ = FileLimit.raised()
        let orders = LineReader(.standardInput)
        guard let line = orders.next(), let secret = ProcessInfo.processInfo.environment["BELFRY_TOKEN_SECRET"] else {
            throw LoadError("this command is only for use by belfry-load itself")
        }
        let brief = try JSONDecoder().decode(WorkerBrief<S.Plan>.self, from: line)
        let crowd = Crowd(
            urls: brief.urls, trusted: try brief.trustFile.map(TrustedAuthorities.init(file:)),
            trustFile: brief.trustFile,
            tokens: Tokens(secret: secret), concurrency: brief.concurrency, progress: .silent)
        let share = try S(brief.plan, clients: brief.first..<brief.end, crowd: crowd)
        while let line = orders.next() {
            var reply = WorkerReply<S.Answer>()
            do {
                reply.answer = try await share.perform(try JSONDecoder().decode(ShareOrder.self, from: line))
            } catch {
                reply.error = "\(error)"
            }
            try FileHandle.standardOutput.write(contentsOf: try JSONEncoder().encode(reply) + Data("\n".utf8))
        }
    }
}

/// The option for the number of processes with clients.
struct ProcessOptions: ParsableArguments {
    @Option(
        name: .customLong("processes"),
        help: "Processes that run the clients; by default as few as the limit on descriptors allows.")
    var count: Int?

    func validate() throws {
        guard count.map({ (1...64).contains($0) }) ?? true else { throw ValidationError("--processes must be 1 to 64") }
    }
}
