import ArgumentParser

/// Options of scenarios with many small rooms.
struct SeatingOptions: ParsableArguments {
    @Option(help: "Members of each room.")
    var members = 8

    @Option(name: .customLong("rooms-per-user"), help: "Rooms per user, at most; determines the number of users.")
    var roomsPerUser = 4

    @Option(help: "The exponent of Zipf's law: room n gets a share of 1/n to this power; 0 gives equal shares.")
    var zipf = 1.0

    @Option(help: "The seed of the random choices.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...100).contains(members), (1...2_000).contains(roomsPerUser) else {
            throw ValidationError("--members must be 1 to 100, the limit of a channel, and --rooms-per-user 1 to 2000")
        }
        guard (0...10).contains(zipf) else { throw ValidationError("--zipf must be 0 to 10") }
    }

    func seating(of rooms: Int) -> Seating {
        Seating(rooms: rooms, of: members, roomsPerUser: roomsPerUser, seed: seed)
    }

    /// Returns the number of connections, one per user.
    func connections(for rooms: Int) -> Int { (rooms + roomsPerUser - 1) / roomsPerUser * members }
}
