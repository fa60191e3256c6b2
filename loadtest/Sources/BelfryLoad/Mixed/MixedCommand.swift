import ArgumentParser
import BelfryClient
import LoadReport

struct MixedCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed", abstract: "People send, reply, react, read and type.",
        discussion: """
            Everyone is in several small rooms and does what people do, in the --shares given, at fixed times (open loop). \
            Every member must hear every message, reply and reaction of the room once and every offset in order; in the \
            end the server is asked for all reactions and markers, which must be what was acknowledged. Exit code 1 and \
            a list of problems when not.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Rooms.")
    var rooms = 200

    @OptionGroup var places: SeatingOptions

    @Option(help: "Operations a second, of all kinds and people together.")
    var rate = 500

    @Option(help: "How many operations are which: send,reply,react,read,type.")
    var shares = Shares.standard.text

    @OptionGroup var loop: OpenLoopOptions

    func validate() throws {
        guard (1...100_000).contains(rooms), (1...100_000).contains(rate) else {
            throw ValidationError("--rooms and --rate are at least 1 and at most 100000")
        }
        guard Shares(shares) != nil else {
            throw ValidationError("--shares is five numbers from 0 to 1000, such as \(Shares.standard.text)")
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
        return try await MixedRun(plan: plan, crowd: crowd, serverPID: server.pid).run().report
    }
}
