/// The acknowledged and pending operations of each room: the state that the server must report at the end.
struct MixedBook {
    /// A user's reaction to a message.
    struct Reaction: Hashable {
        var message: String
        var key: String
        var user: Int
    }

    struct Marker: Hashable {
        var user: Int
        var room: Int
    }

    struct Room {
        /// The numbers of messages and replies, by offset.
        var places: [UInt64: Int] = [:]
        var messages = 0
        var replies = 0
        var reactions = 0
        /// Ids of the newest messages without replies, the newest last.
        var recent: [String] = []
    }

    /// The number of recent messages that members still reply and react to.
    static let recentLimit = 20
    /// Keys that every server has by default.
    static let keys = ["thumbs_up", "heart_eyes", "laughing"]

    private(set) var rooms: [Room]
    /// The current reactions.
    private(set) var current: Set<Reaction> = []
    private var inFlight: Set<Reaction> = []
    private(set) var roomOfMessage: [String: Int] = [:]
    /// The greatest acknowledged offset of each marker.
    private(set) var markers: [Marker: UInt64] = [:]

    init(rooms: Int) { self.rooms = Array(repeating: Room(), count: rooms) }

    mutating func recordMessage(_ sequence: Int, id: String, at offset: UInt64, in room: Int) {
        rooms[room].places[offset] = sequence
        rooms[room].messages += 1
        roomOfMessage[id] = room
        rooms[room].recent.append(id)
        if rooms[room].recent.count > Self.recentLimit { rooms[room].recent.removeFirst() }
    }

    mutating func recordReply(_ sequence: Int, at offset: UInt64, in room: Int) {
        rooms[room].places[offset] = sequence
        rooms[room].replies += 1
    }

    /// Chooses a reaction that is not in progress.
    ///
    /// - Returns: The reaction, and whether to add or remove it; nil if there is no message or all reactions are in
    ///   progress.
    mutating func beginReaction(of user: Int, in room: Int, _ random: inout SeededGenerator) -> (Reaction, adds: Bool)?
    {
        let recent = rooms[room].recent
        guard !recent.isEmpty else { return nil }
        for _ in 0..<4 {
            let reaction = Reaction(
                message: recent[random.number(below: recent.count)],
                key: Self.keys[random.number(below: Self.keys.count)], user: user)
            if inFlight.insert(reaction).inserted { return (reaction, !current.contains(reaction)) }
        }
        return nil
    }

    mutating func recordReaction(_ reaction: Reaction, adds: Bool, in room: Int) {
        inFlight.remove(reaction)
        rooms[room].reactions += 1
        if adds { current.insert(reaction) } else { current.remove(reaction) }
    }

    mutating func recordMarker(_ user: Int, in room: Int, at offset: UInt64) {
        let marker = Marker(user: user, room: room)
        markers[marker] = max(offset, markers[marker] ?? 0)
    }

    /// The number of reactions by message and key.
    var counts: [String: [String: Int]] {
        current.reduce(into: [:]) { $0[$1.message, default: [:]][$1.key, default: 0] += 1 }
    }
}
