import ArgumentParser
import BelfryClient
import LoadReport

struct StormCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Everyone is cut off, and comes back at once.",
        discussion: """
            Clients listen to rooms with history. All connections are cut at once; while they are away --missed messages \
            are sent to every room; then all come back at the same moment and recover. Everyone must hear exactly what \
            was missed, once and in order, and nobody be told that it is lost. Exit code 1 and a list of problems when \
            not.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Clients.")
    var clients = 1_000

    @Option(help: "Rooms; each client is in one of them.")
    var rooms = 10

    @Option(help: "Messages in each room before anyone listens.")
    var history = 50

    @Option(help: "Messages in each room while everyone is away.")
    var missed = 20

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @OptionGroup var processes: ProcessOptions

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Clients that connect or join at the same time, before the storm.")
    var concurrency = 64

    @Option(help: "Seconds to wait for everyone to be back.")
    var patience = 60

    func validate() throws {
        guard (1...100_000).contains(clients), (1...1_000).contains(rooms), rooms <= clients else {
            throw ValidationError("--clients is 1 to 100000, --rooms 1 to 1000 and no more than there are clients")
        }
        guard (clients + rooms - 1) / rooms < 20_000 else {
            throw ValidationError("a room has at most 20000 members: more --rooms")
        }
        guard (0...1_000).contains(history), (1...900).contains(missed), (1...4_000).contains(bytes) else {
            throw ValidationError("--history is 0 to 1000, --missed 1 to 900, --bytes 1 to 4000")
        }
        guard (1...64).contains(loops), (1...10_000).contains(concurrency), (1...3_600).contains(patience) else {
            throw ValidationError("--loops is 1 to 64, --concurrency 1 to 10000, --patience 1 to 3600")
        }
    }

    var connections: Int { 1 }
    var allConnections: Int { clients + 1 }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let run = freshRun()
        let plan = StormPlan(
            run: run, rooms: try (0..<rooms).map { try channel("load-\(run)-\($0)") }, clients: clients,
            history: history, missed: missed, textBytes: bytes, loops: loops, patienceSeconds: patience,
            speaksTLS: server.speaksTLS)
        let crowd = server.crowd(concurrency: concurrency, progress: progress)
        return try await StormRun(
            plan: plan, processes: processes.count, crowd: crowd, serverPID: server.pid
        ).run().report
    }
}
