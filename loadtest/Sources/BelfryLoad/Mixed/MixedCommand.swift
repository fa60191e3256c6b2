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

    @Option(help: "Members of each room.")
    var members = 8

    @Option(name: .customLong("rooms-per-user"), help: "Rooms that a user is in, at most: how many users there are.")
    var roomsPerUser = 4

    @Option(help: "Operations a second, of all kinds and people together.")
    var rate = 500

    @Option(help: "How many operations are which: send,reply,react,read,type.")
    var shares = Shares.standard.text

    @Option(help: "How uneven the rooms are: number n gets a share of 1/n to the power of this; 0 makes all alike.")
    var zipf = 1.0

    @Option(help: "Of the draws.")
    var seed: UInt64 = 1

    @Option(help: "How long the measured part lasts.")
    var seconds = 10

    @Option(help: "How long to go on before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Clients that connect, or rooms that are filled, at the same time.")
    var concurrency = 64

    @Option(help: "Seconds to wait for the last deliveries.")
    var drain = 10

    func validate() throws {
        guard [rooms, rate, seconds, loops, concurrency, drain].allSatisfy({ (1...100_000).contains($0) }),
            (0...3_600).contains(warmup), (1...4_000).contains(bytes)
        else { throw ValidationError("numbers are 1 to 100000, --warmup 0 to 3600, --bytes 1 to 4000") }
        guard (1...100).contains(members), (1...2_000).contains(roomsPerUser) else {
            throw ValidationError("--members is 1 to 100, as a channel has no more; --rooms-per-user is 1 to 2000")
        }
        guard (0...10).contains(zipf) else { throw ValidationError("--zipf is 0 to 10") }
        guard Shares(shares) != nil else {
            throw ValidationError("--shares is five numbers from 0 to 1000, such as \(Shares.standard.text)")
        }
    }

    var connections: Int { (rooms + roomsPerUser - 1) / roomsPerUser * members }

    func report(of server: TargetServer, _ progress: Progress) async throws -> Report {
        let plan = MixedPlan(
            run: freshRun(), seating: Seating(rooms: rooms, of: members, roomsPerUser: roomsPerUser, seed: seed),
            roomsPerUser: roomsPerUser, roomSize: members, shares: Shares(shares) ?? .standard, zipfExponent: zipf,
            seed: seed, pace: Pace(rate: rate, warmupSeconds: warmup, seconds: seconds), textBytes: bytes, loops: loops,
            drainSeconds: drain)
        try plan.check()
        let crowd = server.crowd(concurrency: concurrency, progress: progress)
        return try await MixedRun(plan: plan, crowd: crowd, serverPID: server.pid).run().report
    }
}
