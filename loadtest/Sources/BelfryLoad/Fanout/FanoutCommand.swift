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

    @Flag(
        help: """
            Subscribers take frames apart without a client library, which costs the tester less: for a server at \
            127.0.0.1 without TLS.
            """)
    var raw = false

    @OptionGroup var loop: OpenLoopOptions
    @OptionGroup var processes: ProcessOptions

    func validate() throws {
        guard [subscribers, publishers, rate].allSatisfy({ (1...1_000_000).contains($0) }) else {
            throw ValidationError("--subscribers, --publishers and --rate are at least 1 and at most 1000000")
        }
        guard !raw || (loop.loops == 1 && !target.tls) else {
            throw ValidationError("--raw is without TLS, and on one thread in each process: no --tls, no --loops")
        }
        if raw, let url = target.url { _ = try RawAudience.port(in: url) }
    }

    var connections: Int { publishers }
    var allConnections: Int { subscribers + publishers }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = FanoutPlan(
            run: run, channel: try channel("load-\(run)"), subscribers: subscribers, publishers: publishers,
            pace: loop.pace(rate: rate), textBytes: loop.bytes, loops: loop.loops, isRaw: raw, drainSeconds: loop.drain)
        try plan.check()
        let crowd = server.crowd(concurrency: loop.concurrency, progress: progress)
        return try await FanoutRun(plan: plan, processes: processes.count, crowd: crowd, serverPID: server.pid).run()
            .report
    }
}
