import ArgumentParser
import BelfryClient
import LoadReport

struct IdleCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle", abstract: "Many who are connected and do nothing: memory for each.",
        discussion: """
            Everyone joins the same rooms and leaves again; then they connect, step by step, and after each step the \
            server's resident memory is told beyond what it was when nobody was connected: what the chat holds of users \
            and memberships is not in it. Everyone must be told of every room, and nobody may lose the connection. \
            Exit code 1 and a list of problems when not.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Numbers of connections at which to look, ascending.")
    var steps: [Int] = [1_000, 5_000]

    @Option(help: "Rooms that everyone is in.")
    var rooms = 5

    @OptionGroup var processes: ProcessOptions

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Seconds to wait after each step.")
    var settle = 2

    func validate() throws {
        guard !steps.isEmpty, steps == steps.sorted(), steps.allSatisfy({ (1...100_000).contains($0) }),
            (1...50).contains(rooms), (1...64).contains(loops), (0...600).contains(settle)
        else { throw ValidationError("steps ascend from 1 to 100000; 1-50 rooms, 1-64 loops, 0-600 s to settle") }
    }

    var connections: Int { 1 }
    var allConnections: Int { (steps.last ?? 0) + 1 }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        guard let pid = server.pid else { throw LoadError("name the server's process with --pid") }
        let run = freshRun()
        let plan = IdlePlan(
            run: run, channels: try (0..<rooms).map { try channel("load-\(run)-\($0)") }, steps: steps, rooms: rooms,
            loops: loops, settleSeconds: settle,
            speaksTLS: server.speaksTLS)
        return try await IdleRun(
            plan: plan, processes: processes.count, crowd: server.crowd(progress: progress), serverPID: pid
        ).run().report
    }
}
