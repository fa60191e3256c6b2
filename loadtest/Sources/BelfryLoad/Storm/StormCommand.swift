import ArgumentParser
import BelfryClient
import LoadReport

struct StormCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "All clients are disconnected and reconnect at once.",
        discussion: """
            Clients listen to rooms with history. All connections are cut at once. While the clients are away, \
            --missed messages are sent to every room; then all clients reconnect at the same moment and recover. Every \
            client must receive exactly what it missed, once and in order, and no recovery may be refused. Otherwise \
            the exit code is 1, and the problems are listed.

            With --url, BELFRY_TOKEN_SECRET must contain the key that signs tokens; with --spawn, a key is generated.
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

    @Option(help: "Clients that connect or join concurrently, before the storm.")
    var concurrency = 64

    @Option(help: "Seconds to wait until everyone has reconnected.")
    var patience = 60

    func validate() throws {
        guard (1...100_000).contains(clients), (1...1_000).contains(rooms), rooms <= clients else {
            throw ValidationError("--clients must be 1 to 100000, --rooms 1 to 1000 and at most --clients")
        }
        guard (clients + rooms - 1) / rooms < 20_000 else {
            throw ValidationError("a room has at most 20000 members: increase --rooms")
        }
        guard (0...1_000).contains(history), (1...900).contains(missed), (1...4_000).contains(bytes) else {
            throw ValidationError("--history must be 0 to 1000, --missed 1 to 900, --bytes 1 to 4000")
        }
        guard (1...64).contains(loops), (1...10_000).contains(concurrency), (1...3_600).contains(patience) else {
            throw ValidationError("--loops must be 1 to 64, --concurrency 1 to 10000, --patience 1 to 3600")
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
            plan: plan, processes: processes.count, crowd: crowd, server: server.processes
        ).run().report
    }
}
