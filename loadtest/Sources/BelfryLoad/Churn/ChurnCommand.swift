import ArgumentParser
import BelfryClient
import LoadReport

struct ChurnCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn", abstract: "Clients connect and disconnect all the time.",
        discussion: """
            --concurrency clients connect with a token and disconnect, and the next ones follow immediately (closed \
            loop). One visit in --join-every joins a channel and leaves it again. Every visit must be accepted, and at \
            the end the server's memory and descriptors must have returned to the earlier values. Otherwise the exit \
            code is 1, and the problems are listed.

            With --url, BELFRY_TOKEN_SECRET must contain the key that signs tokens; with --spawn, a key is generated.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Concurrent visits.")
    var concurrency = 64

    @Option(help: "Users who take turns.")
    var users = 1_000

    @Option(name: .customLong("join-every"), help: "One visit in this many joins a channel and leaves it; 0 for none.")
    var joinEvery = 10

    @Option(help: "Seconds to measure.")
    var seconds = 10

    @Option(help: "Seconds of visits before measuring; at least 1.")
    var warmup = 2

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Seconds to wait until the server has closed its connections.")
    var settle = 10

    func validate() throws {
        guard [concurrency, users, seconds, loops].allSatisfy({ (1...100_000).contains($0) }),
            (1...3_600).contains(warmup), (0...100_000).contains(joinEvery), (0...600).contains(settle)
        else { throw ValidationError("--warmup must be 1 to 3600, --settle 0 to 600, all other numbers 1 to 100000") }
        // Two concurrent visits of one user would join the channel twice.
        guard users >= 4 * concurrency else {
            throw ValidationError("--users must be at least four times --concurrency")
        }
    }

    /// The descriptors to allow for, as a closed connection keeps its descriptor for a moment.
    var connections: Int { concurrency * 4 }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = ChurnPlan(
            run: run, channel: try channel("load-\(run)"), concurrency: concurrency, users: users, joinEvery: joinEvery,
            pace: Pace(rate: 1, warmupSeconds: warmup, seconds: seconds), loops: loops, settleSeconds: settle,
            speaksTLS: server.speaksTLS)
        return try await ChurnRun(plan: plan, crowd: server.crowd(progress: progress), server: server.processes).run()
            .report
    }
}
