import ArgumentParser
import BelfryClient
import LoadReport

struct IngestCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Many who send; nobody listens.",
        discussion: """
            Every sender has a connection of its own and sends its next message when the one before is acknowledged \
            (closed loop): how many durable sends a second the server comes to, and how long each takes. With --rate \
            messages leave at fixed times instead, whatever becomes of those before (open loop): one that had to wait \
            counts with its waiting. Each answer must be that of its message, and every message must have a place of \
            its own in the channel, without a gap. Exit code 1 and a list of problems when not.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients that send.")
    var senders = 64

    @Option(help: "Messages a second, of all senders together; without it as many as are acknowledged.")
    var rate: Int?

    @Option(help: "How long the measured part lasts.")
    var seconds = 10

    @Option(help: "How long to send before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    func validate() throws {
        guard [senders, seconds, loops, rate ?? 1].allSatisfy({ (1...1_000_000).contains($0) }),
            (0...3_600).contains(warmup), (1...4_000).contains(bytes)
        else { throw ValidationError("every number is at least 1 and at most 1000000, --bytes at most 4000") }
    }

    var connections: Int { senders }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = IngestPlan(
            run: run, channel: try channel("load-\(run)"), senders: senders, isClosedLoop: rate == nil,
            pace: Pace(rate: rate ?? 1, warmupSeconds: warmup, seconds: seconds), textBytes: bytes, loops: loops)
        return try await IngestRun(plan: plan, crowd: server.crowd(progress: progress), serverPID: server.pid).run()
            .report
    }
}
