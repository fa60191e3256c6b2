import ArgumentParser
import BelfryClient
import LoadReport

struct ChurnCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn", abstract: "Clients come and go all the time.",
        discussion: """
            --concurrency clients set out with a token, are taken in and leave, and the next come at once (closed loop); \
            one visit in --join-every joins a channel and leaves it again. Every visit must be taken in, and in the end \
            the server's memory and descriptors must be what they were. Exit code 1 and a list of problems when not.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Visits at the same time.")
    var concurrency = 64

    @Option(help: "People who take turns.")
    var users = 1_000

    @Option(name: .customLong("join-every"), help: "One visit in so many joins a channel and leaves it; 0 for none.")
    var joinEvery = 10

    @Option(help: "How long the measured part lasts.")
    var seconds = 10

    @Option(help: "How long clients come and go before that; at least 1.")
    var warmup = 2

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Seconds for the server to close what is closed.")
    var settle = 10

    func validate() throws {
        guard [concurrency, users, seconds, loops].allSatisfy({ (1...100_000).contains($0) }),
            (1...3_600).contains(warmup), (0...100_000).contains(joinEvery), (0...600).contains(settle)
        else { throw ValidationError("numbers are 1 to 100000, --warmup 1 to 3600, --settle 0 to 600") }
        // Two concurrent visits of one user would join the channel twice.
        guard users >= 4 * concurrency else { throw ValidationError("--users is at least four times --concurrency") }
    }

    /// The descriptors to allow for, as a closed connection keeps its descriptor for a moment.
    var connections: Int { concurrency * 4 }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = ChurnPlan(
            run: run, channel: try channel("load-\(run)"), concurrency: concurrency, users: users, joinEvery: joinEvery,
            pace: Pace(rate: 1, warmupSeconds: warmup, seconds: seconds), loops: loops, settleSeconds: settle,
            speaksTLS: server.speaksTLS)
        return try await ChurnRun(plan: plan, crowd: server.crowd(progress: progress), serverPID: server.pid).run()
            .report
    }
}
