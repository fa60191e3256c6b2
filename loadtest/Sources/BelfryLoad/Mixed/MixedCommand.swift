import ArgumentParser
import BelfryClient
import LoadReport

struct MixedCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed", abstract: "A realistic mix: sending, replying, reacting, reading and typing.",
        discussion: """
            Every user is in several small rooms and sends, replies, reacts, reads and types in the proportions of \
            --shares, at fixed times (open loop). Every member must receive every message, reply and reaction of the \
            room once and every offset in order. At the end all reactions and read markers are queried and must be \
            those that were acknowledged. Otherwise the exit code is 1, and the problems are listed.

            With --url, BELFRY_TOKEN_SECRET must contain the key that signs tokens; with --spawn, a key is generated.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Rooms.")
    var rooms = 200

    @OptionGroup var places: SeatingOptions

    @Option(help: "Operations per second, all kinds and users together.")
    var rate = 500

    @Option(help: "The proportions of the operations: send,reply,react,read,type.")
    var shares = Shares.standard.text

    @OptionGroup var loop: OpenLoopOptions

    func validate() throws {
        guard (1...100_000).contains(rooms), (1...100_000).contains(rate) else {
            throw ValidationError("--rooms and --rate must be 1 to 100000")
        }
        guard Shares(shares) != nil else {
            throw ValidationError("--shares must be five numbers from 0 to 1000, such as \(Shares.standard.text)")
        }
    }

    var connections: Int { places.connections(for: rooms) }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let plan = MixedPlan(
            run: freshRun(), seating: places.seating(of: rooms), roomsPerUser: places.roomsPerUser,
            roomSize: places.members, shares: Shares(shares) ?? .standard, zipfExponent: places.zipf, seed: places.seed,
            pace: loop.pace(rate: rate), textBytes: loop.bytes, loops: loop.loops, drainSeconds: loop.drain)
        try plan.check()
        let crowd = server.crowd(concurrency: loop.concurrency, progress: progress)
        return try await MixedRun(plan: plan, crowd: crowd, server: server.processes).run().report
    }
}
