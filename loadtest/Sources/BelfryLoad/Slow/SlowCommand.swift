import ArgumentParser
import BelfryClient
import LoadReport

struct SlowCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "slow", abstract: "The effect of listeners that stop reading on the others in a channel.",
        discussion: """
            Everyone joins one super channel. Each round sends for some seconds to clients that read, then connects \
            clients that never read, fills their kernel buffers, and sends for as long again. The result of a round is \
            the ratio of the two 99th percentiles. Messages are sent at fixed times (open loop). Every reader must \
            receive every message once and in order, whatever the others do. Otherwise the exit code is 1, and the \
            problems are listed.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients that read.")
    var subscribers = 1_000

    @Option(help: "Additional clients that do not read.")
    var stalled = 10

    @Option(help: "Rounds, each with and without the clients that do not read.")
    var rounds = 10

    @Option(help: "Messages per second.")
    var rate = 20

    @Option(help: "Seconds to send, in each half of a round.")
    var seconds = 3

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    func validate() throws {
        guard [subscribers, stalled, rounds, rate, seconds, loops].allSatisfy({ (1...100_000).contains($0) }),
            (1...4_000).contains(bytes)
        else { throw ValidationError("--bytes must be 1 to 4000, all other numbers 1 to 100000") }
    }

    var connections: Int { subscribers + stalled + 1 }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = FanoutPlan(
            run: run, channel: try channel("load-\(run)"), subscribers: subscribers, publishers: 1,
            pace: Pace(rate: rate, warmupSeconds: 0, seconds: 2 * seconds * rounds), textBytes: bytes, loops: loops,
            drainSeconds: 60)
        try plan.check()
        return try await SlowRun(
            plan: plan, halfSeconds: seconds, rounds: rounds, stalled: stalled, crowd: server.crowd(progress: progress),
            server: server.processes
        ).run().report
    }
}
