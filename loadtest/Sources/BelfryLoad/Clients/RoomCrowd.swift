import BelfryClient

/// Members of many small rooms, all of whom receive and may send.
struct RoomCrowd: Sendable {
    /// A received event.
    struct Sighting {
        var kind: RoomLedger.Kind
        /// The number and intended time of the run's message; nil for other events.
        var message: (sequence: Int, intended: UInt64)?
    }

    struct Member: Sendable {
        let link: WatchedClient
        /// The ledgers by room number.
        let ledgers: [Int: RoomLedger]
        var client: BelfryClient { link.client }
    }

    let seating: Seating
    let rooms: [ChannelID]
    let members: [Member]

    /// Creates the clients without connecting them.
    ///
    /// - Parameter identify: Classifies the JSON of an event. Called on the loops.
    init(
        run: String, seating: Seating, crowd: Crowd, tallies: [LoopTally], pace: Pace,
        identify: @escaping @Sendable (_ json: [UInt8]) -> Sighting
    ) throws {
        self.seating = seating
        let rooms = (0..<seating.rooms).compactMap { ChannelID("load-\(run)-\($0)") }
        guard rooms.count == seating.rooms else { throw LoadError("invalid channel names") }
        self.rooms = rooms
        members = try seating.roomsOfUsers.enumerated().map { number, own in
            let tally = tallies[number % tallies.count]
            let ledgers = Dictionary(uniqueKeysWithValues: own.map { ($0, RoomLedger()) })
            let byName = Dictionary(uniqueKeysWithValues: ledgers.map { (rooms[$0.key].rawValue, $0.value) })
            var configuration = try crowd.configuration("load-\(run)-u\(number)", number: number)
            configuration.loop = tally.loop
            configuration.onPublication = { room, offset, data in
                guard offset > 0, let ledger = byName[room] else { return }
                let sighting = identify(data)
                ledger.record(.init(offset: offset, sequence: sighting.message?.sequence ?? -1, kind: sighting.kind))
                guard let message = sighting.message else { return }
                tally.recordDelivery(after: Clock.since(message.intended), in: pace.stretch(of: message.sequence))
            }
            return Member(
                link: try WatchedClient(name: "load-\(run)-u\(number)", configuration: configuration), ledgers: ledgers)
        }
    }

    /// Connects everyone and fills the rooms.
    func gather(_ crowd: Crowd) async throws {
        try await crowd.each(members, "connecting") { try await crowd.connect($0.client) }
        try await crowd.each(Array(zip(rooms, seating.members)), "filling rooms") { [members] room, users in
            guard let owner = users.first else { return }
            try await crowd.create(room, by: members[owner].client, isSuper: false)
            for user in users.dropFirst() { try await crowd.join(members[user].client, room) }
        }
    }

    func stop() async {
        for member in members { await member.link.stop() }
    }

    /// Returns the load of each node; call it once all clients have stopped.
    func loads(of nodes: Int) -> [NodeLoad] {
        var loads = [NodeLoad](nodes: nodes)
        for (number, member) in members.enumerated() {
            let heard = member.ledgers.values.reduce(0) { $0 + $1.heard.count { $0.sequence >= 0 } }
            loads.add(client: number, deliveries: heard)
        }
        return loads
    }

    /// Returns what everyone received; call it once all clients have stopped.
    ///
    /// - Parameter acknowledged: The numbers of each room's messages, by offset.
    func hearing(of acknowledged: [[UInt64: Int]], to list: inout ProblemList) -> Hearing {
        var hearing = Hearing()
        for member in members {
            for (room, ledger) in member.ledgers.sorted(by: { $0.key < $1.key }) {
                hearing.add(
                    "\(member.link.name) in \(rooms[room])", ledger.findings(acknowledged: acknowledged[room]),
                    losses: [], to: &list)
            }
            hearing.add(member.link.name, Ledger.Findings(), losses: member.link.losses.all, to: &list)
        }
        return hearing
    }
}
