import ArgumentParser
import BelfryClient
import LoadReport

struct FanoutCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout", abstract: "One channel with many subscribers.",
        discussion: """
            Connects all clients, lets them join one super channel and sends messages at fixed times, regardless of \
            the earlier ones (open loop), so latency includes the time that a message had to wait. Every subscriber \
            must receive every message once and every offset in order. Otherwise the exit code is 1, and the problems \
            are listed.

            With --url, BELFRY_TOKEN_SECRET must contain the key that signs tokens; with --spawn, a key is generated.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients that listen.")
    var subscribers = 1_000

    @Option(help: "Clients that send but do not listen.")
    var publishers = 10

    @Option(help: "Messages per second, all publishers together.")
    var rate = 100

    @Flag(
        help: """
            Subscribers parse frames without the client library, which costs the tester less. Only for a server at \
            127.0.0.1 without TLS.
            """)
    var raw = false

    @OptionGroup var loop: OpenLoopOptions
    @OptionGroup var processes: ProcessOptions

    func validate() throws {
        guard [subscribers, publishers, rate].allSatisfy({ (1...1_000_000).contains($0) }) else {
            throw ValidationError("--subscribers, --publishers and --rate must be at least 1 and at most 1000000")
        }
        guard !raw || (loop.loops == 1 && !target.tls) else {
            throw ValidationError("--raw uses no TLS and one thread per process: remove --tls and --loops")
        }
        if raw { _ = try target.url.map(RawAudience.port) }
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
        return try await FanoutRun(plan: plan, processes: processes.count, crowd: crowd, server: server.processes).run()
            .report
    }
}
