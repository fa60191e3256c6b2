import ArgumentParser

/// Options of scenarios with many small rooms.
struct SeatingOptions: ParsableArguments {
    @Option(help: "Members of each room.")
    var members = 8

    @Option(name: .customLong("rooms-per-user"), help: "Rooms that a user is in, at most: how many users there are.")
    var roomsPerUser = 4

    @Option(help: "How uneven the rooms are: number n gets a share of 1/n to the power of this; 0 makes all alike.")
    var zipf = 1.0

    @Option(help: "Of the draws.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...100).contains(members), (1...2_000).contains(roomsPerUser) else {
            throw ValidationError("--members is 1 to 100, as a channel has no more; --rooms-per-user is 1 to 2000")
        }
        guard (0...10).contains(zipf) else { throw ValidationError("--zipf is 0 to 10") }
    }

    func seating(of rooms: Int) -> Seating {
        Seating(rooms: rooms, of: members, roomsPerUser: roomsPerUser, seed: seed)
    }

    /// Returns the number of connections, one per user.
    func connections(for rooms: Int) -> Int { (rooms + roomsPerUser - 1) / roomsPerUser * members }
}
