/// What has been acknowledged, room by room, and what is under way: what the server must say of it in the end.
struct MixedBook {
    /// Who reacts with what to which message.
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
        /// The numbers of messages and replies by their offsets.
        var places: [UInt64: Int] = [:]
        var messages = 0
        var replies = 0
        var reactions = 0
        /// Ids of the newest messages that are no replies, the newest last.
        var recent: [String] = []
    }

    /// Messages that people still answer and react to.
    static let recentLimit = 20
    /// Of those that every server has.
    static let keys = ["thumbs_up", "heart_eyes", "laughing"]

    private(set) var rooms: [Room]
    /// Reactions that stand; the room of each message.
    private(set) var standing: Set<Reaction> = []
    private var underWay: Set<Reaction> = []
    private(set) var roomOfMessage: [String: Int] = [:]
    /// The greatest offset that a marker was acknowledged at.
    private(set) var markers: [Marker: UInt64] = [:]

    init(rooms: Int) { self.rooms = Array(repeating: Room(), count: rooms) }

    mutating func sent(_ sequence: Int, id: String, at offset: UInt64, in room: Int) {
        rooms[room].places[offset] = sequence
        rooms[room].messages += 1
        roomOfMessage[id] = room
        rooms[room].recent.append(id)
        if rooms[room].recent.count > Self.recentLimit { rooms[room].recent.removeFirst() }
    }

    mutating func replied(_ sequence: Int, at offset: UInt64, in room: Int) {
        rooms[room].places[offset] = sequence
        rooms[room].replies += 1
    }

    /// Chooses a reaction that is not under way.
    ///
    /// - Returns: nil when there is no message or all are under way; else whether it is to be added or taken back.
    mutating func beginReaction(of user: Int, in room: Int, _ random: inout SeededGenerator) -> (Reaction, adds: Bool)?
    {
        let recent = rooms[room].recent
        guard !recent.isEmpty else { return nil }
        for _ in 0..<4 {
            let reaction = Reaction(
                message: recent[random.number(below: recent.count)],
                key: Self.keys[random.number(below: Self.keys.count)], user: user)
            if underWay.insert(reaction).inserted { return (reaction, !standing.contains(reaction)) }
        }
        return nil
    }

    mutating func reacted(_ reaction: Reaction, adds: Bool, in room: Int) {
        underWay.remove(reaction)
        rooms[room].reactions += 1
        if adds { standing.insert(reaction) } else { standing.remove(reaction) }
    }

    mutating func marked(_ user: Int, in room: Int, at offset: UInt64) {
        let marker = Marker(user: user, room: room)
        markers[marker] = max(offset, markers[marker] ?? 0)
    }

    /// For each message that has any: how many react with each key, by the names of keys.
    var counts: [String: [String: Int]] {
        standing.reduce(into: [:]) { $0[$1.message, default: [:]][$1.key, default: 0] += 1 }
    }
}
