import ArgumentParser
import BelfryClient
import LoadReport

struct RoomsCommand: ScenarioCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms", abstract: "Thousands of small rooms, a few of them busy.",
        discussion: """
            Every user is in several rooms, listens in all of them and sends now and then, at fixed times (open loop). \
            The room of a message is chosen by Zipf's law, and the sender among the room's members; the same --seed \
            makes the same choices. Every member must receive every acknowledged message of the room once and every \
            offset in order. Otherwise the exit code is 1, and the problems are listed.

            With --url, BELFRY_TOKEN_SECRET must contain the key that signs tokens; with --spawn, a key is generated.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Rooms.")
    var rooms = 2_000

    @OptionGroup var places: SeatingOptions

    @Option(help: "Messages per second, to all rooms together.")
    var rate = 2_500

    @OptionGroup var loop: OpenLoopOptions

    func validate() throws {
        guard (1...100_000).contains(rooms), (1...100_000).contains(rate) else {
            throw ValidationError("--rooms and --rate must be 1 to 100000")
        }
    }

    var connections: Int { places.connections(for: rooms) }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let plan = RoomsPlan(
            run: freshRun(), seating: places.seating(of: rooms), roomsPerUser: places.roomsPerUser,
            roomSize: places.members, zipfExponent: places.zipf, seed: places.seed, pace: loop.pace(rate: rate),
            textBytes: loop.bytes, loops: loop.loops, drainSeconds: loop.drain)
        try plan.check()
        let crowd = server.crowd(concurrency: loop.concurrency, progress: progress)
        return try await RoomsRun(plan: plan, crowd: crowd, server: server.processes).run().report
    }
}
