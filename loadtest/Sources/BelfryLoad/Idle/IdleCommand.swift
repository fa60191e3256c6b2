import ArgumentParser
import BelfryClient
import LoadReport

struct IdleCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle", abstract: "Memory per idle connection.",
        discussion: """
            All users join the same rooms and disconnect. Then they connect, step by step, and after each step the \
            growth of the server's resident memory is reported, without the chat's own users and memberships. Every \
            client must be subscribed to every room, and none may lose its connection. Otherwise the exit code is 1, \
            and the problems are listed.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "Numbers of connections at which to read the memory, ascending.")
    var steps: [Int] = [1_000, 5_000]

    @Option(help: "Rooms that every user is in.")
    var rooms = 5

    @OptionGroup var processes: ProcessOptions

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Seconds to wait after each step.")
    var settle = 2

    func validate() throws {
        guard !steps.isEmpty, steps == steps.sorted(), steps.allSatisfy({ (1...100_000).contains($0) }),
            (1...50).contains(rooms), (1...64).contains(loops), (0...600).contains(settle)
        else {
            throw ValidationError(
                "steps must be 1 to 100000, ascending; --rooms 1 to 50, --loops 1 to 64, --settle 0 to 600")
        }
    }

    var connections: Int { 1 }
    var allConnections: Int { (steps.last ?? 0) + 1 }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        guard server.processes != .unknown else { throw LoadError("specify the server's process id with --pid") }
        let run = freshRun()
        let plan = IdlePlan(
            run: run, channels: try (0..<rooms).map { try channel("load-\(run)-\($0)") }, steps: steps, rooms: rooms,
            loops: loops, settleSeconds: settle,
            speaksTLS: server.speaksTLS)
        return try await IdleRun(
            plan: plan, processes: processes.count, crowd: server.crowd(progress: progress), server: server.processes
        ).run().report
    }
}
