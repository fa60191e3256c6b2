import ArgumentParser
import BelfryClient
import LoadReport

struct SlowCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "slow", abstract: "A channel some of whose listeners stop reading: what the others notice.",
        discussion: """
            Everyone joins one super channel. Each round sends for some seconds to those who read, then lets others come \
            who never read, fills what the kernel keeps for them, and sends for as long again: the quotient of the two \
            99th percentiles is the round's. Messages leave at fixed times (open loop). Every reader must hear every \
            message once and in order, whatever the others do. Exit code 1 and a list of problems when not.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients that read.")
    var subscribers = 1_000

    @Option(help: "Clients that do not, besides.")
    var stalled = 10

    @Option(help: "Rounds, each with and without them.")
    var rounds = 10

    @Option(help: "Messages a second.")
    var rate = 20

    @Option(help: "How long to send, in each half of a round.")
    var seconds = 3

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    func validate() throws {
        guard [subscribers, stalled, rounds, rate, seconds, loops].allSatisfy({ (1...100_000).contains($0) }),
            (1...4_000).contains(bytes)
        else { throw ValidationError("every number is at least 1 and at most 100000, --bytes at most 4000") }
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
            serverPID: server.pid
        ).run().report
    }
}
