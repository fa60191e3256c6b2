import ArgumentParser
import BelfryClient
import LoadReport

struct IngestCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Many senders, no listeners.",
        discussion: """
            Every sender has its own connection and sends its next message when the previous one is acknowledged \
            (closed loop). This measures how many durable sends the server makes per second, and how long each takes. \
            With --rate, messages are sent at fixed times instead, regardless of the earlier ones (open loop), so \
            latency includes the time that a message had to wait. Each reply must belong to its message, and every \
            message must have its own offset in the channel, without a gap. Otherwise the exit code is 1, and the \
            problems are listed.

            With --url, BELFRY_TOKEN_SECRET must contain the key that signs tokens; with --spawn, a key is generated.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients that send.")
    var senders = 64

    @Option(help: "Messages per second, all senders together; by default as fast as they are acknowledged.")
    var rate: Int?

    @Option(help: "Seconds to measure.")
    var seconds = 10

    @Option(help: "Seconds of load before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    func validate() throws {
        guard [senders, seconds, loops, rate ?? 1].allSatisfy({ (1...1_000_000).contains($0) }),
            (0...3_600).contains(warmup), (1...4_000).contains(bytes)
        else { throw ValidationError("--warmup must be 0 to 3600, --bytes 1 to 4000, all other numbers 1 to 1000000") }
    }

    var connections: Int { senders }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = IngestPlan(
            run: run, channel: try channel("load-\(run)"), senders: senders, isClosedLoop: rate == nil,
            pace: Pace(rate: rate ?? 1, warmupSeconds: warmup, seconds: seconds), textBytes: bytes, loops: loops)
        return try await IngestRun(plan: plan, crowd: server.crowd(progress: progress), server: server.processes).run()
            .report
    }
}
