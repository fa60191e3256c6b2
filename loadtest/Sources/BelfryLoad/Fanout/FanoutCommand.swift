import ArgumentParser
import BelfryClient
import LoadReport

struct FanoutCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout", abstract: "One channel with many subscribers.",
        discussion: """
            Connects everyone, lets them join one super channel and sends messages at fixed times, whatever becomes of \
            those before (open loop): a message that had to wait counts with its waiting. Every subscriber must hear \
            every message once and every offset in order. Exit code 1 and a list of problems when not.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients that listen.")
    var subscribers = 1_000

    @Option(help: "Clients that send, and do not listen.")
    var publishers = 10

    @Option(help: "Messages a second, of all publishers together.")
    var rate = 100

    @Option(help: "How long the measured part lasts.")
    var seconds = 10

    @Option(help: "How long to send before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @OptionGroup var processes: ProcessOptions

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Clients that connect or join at the same time.")
    var concurrency = 64

    @Option(help: "Seconds to wait for the last deliveries.")
    var drain = 10

    func validate() throws {
        let counts = [subscribers, publishers, rate, seconds, bytes, loops, concurrency, drain]
        guard counts.allSatisfy({ (1...1_000_000).contains($0) }), (0...3_600).contains(warmup) else {
            throw ValidationError("every number is at least 1 and at most 1000000, --warmup 0 to 3600")
        }
        guard bytes <= 4_000 else { throw ValidationError("--bytes is at most 4000") }
    }

    var connections: Int { publishers }
    var allConnections: Int { subscribers + publishers }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = FanoutPlan(
            run: run, channel: try channel("load-\(run)"), subscribers: subscribers, publishers: publishers,
            pace: Pace(rate: rate, warmupSeconds: warmup, seconds: seconds), textBytes: bytes, loops: loops,
            drainSeconds: drain)
        try plan.check()
        let crowd = server.crowd(concurrency: concurrency, progress: progress)
        return try await FanoutRun(plan: plan, processes: processes.count, crowd: crowd, serverPID: server.pid).run()
            .report
    }
}
