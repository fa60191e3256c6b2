import ChatModel

/// The reactions to one message: for each key the users who reacted, oldest reaction first.
struct MessageReactions {
    struct Reactor {
        /// The offset of the event that added the reaction.
        let offset: UInt64
        let user: UserID
    }

    struct Key {
        let key: String
        /// Ascending by offset.
        fileprivate(set) var reactors: [Reactor] = []
        fileprivate var offsets = ShardedDictionary<UserID, UInt64>()
        fileprivate(set) var updatedAt: Int64 = 0

        func contains(_ user: UserID) -> Bool { offsets[user] != nil }
        func offset(of user: UserID) -> UInt64? { offsets[user] }

        /// Returns the first place after an offset.
        func firstPlace(after offset: UInt64) -> Int {
            var low = 0
            var high = reactors.count
            while low < high {
                let middle = low + (high - low) / 2
                if reactors[middle].offset > offset { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// In the order in which the keys were first used on the message; every key has reactors.
    private(set) var keys: [Key] = []
    /// The time of the last change. Strictly increasing, so that clients can tell which count is newer.
    private(set) var updatedAt: Int64 = 0

    init() {}

    /// The number of reactions with any key.
    var count: Int { keys.reduce(0) { $0 + $1.reactors.count } }

    subscript(key: String) -> Key? { keys.first { $0.key == key } }

    mutating func add(_ key: String, by user: UserID, offset: UInt64, at: Int64) {
        updatedAt = max(at, updatedAt + 1)
        let index = keys.firstIndex { $0.key == key } ?? keys.count
        if index == keys.count { keys.append(Key(key: key)) }
        keys[index].reactors.append(Reactor(offset: offset, user: user))
        keys[index].offsets[user] = offset
        keys[index].updatedAt = updatedAt
    }

    func contains(_ user: UserID) -> Bool { keys.contains { $0.contains(user) } }

    mutating func remove(_ key: String, by user: UserID, at: Int64) {
        updatedAt = max(at, updatedAt + 1)
        guard let index = keys.firstIndex(where: { $0.key == key }),
            let offset = keys[index].offsets.removeValue(forKey: user)
        else { return }
        keys[index].reactors.remove(at: keys[index].firstPlace(after: offset) - 1)
        keys[index].updatedAt = updatedAt
        if keys[index].reactors.isEmpty { keys.remove(at: index) }
    }
}

// MARK: pieces
extension MessageReactions {
    /// Adds reactions that follow the existing ones; skips invalid ones.
    mutating func load(_ part: ReactionsPart) {
        updatedAt = part.updatedAt
        for key in part.keys {
            let index = keys.firstIndex { $0.key == key.key } ?? keys.count
            if index == keys.count { keys.append(Key(key: key.key)) }
            keys[index].updatedAt = key.updatedAt
            for reactor in key.reactors {
                guard reactor.offset > keys[index].reactors.last?.offset ?? 0, !keys[index].contains(reactor.user)
                else { continue }
                keys[index].offsets[reactor.user] = reactor.offset
                keys[index].reactors.append(Reactor(offset: reactor.offset, user: reactor.user))
            }
        }
        keys.removeAll(where: \.reactors.isEmpty)
    }

    /// Emits the reactions in as many pieces as needed.
    func parts<Failure: Error>(
        _ limits: PieceLimits, _ body: (ReactionsPart) throws(Failure) -> Void
    ) throws(Failure) {
        var piece = ReactionsPart(updatedAt: updatedAt, keys: [])
        var bytes = PieceWeight.envelope
        for key in keys {
            let empty = ReactionsPart.Key(key: key.key, updatedAt: key.updatedAt, reactors: [])
            piece.keys.append(empty)
            bytes += empty.weight
            for reactor in key.reactors {
                let part = ReactionsPart.Reactor(user: reactor.user, offset: reactor.offset)
                if bytes + part.weight > limits.bytes {
                    piece.keys.removeAll(where: \.reactors.isEmpty)
                    if !piece.keys.isEmpty { try body(piece) }
                    piece.keys = [empty]
                    bytes = PieceWeight.envelope + empty.weight
                }
                piece.keys[piece.keys.count - 1].reactors.append(part)
                bytes += part.weight
            }
        }
        if !piece.keys.isEmpty { try body(piece) }
    }
}

extension ReactionsPart {
    init(_ reactions: MessageReactions) {
        self.init(
            updatedAt: reactions.updatedAt,
            keys: reactions.keys.map { key in
                Key(
                    key: key.key, updatedAt: key.updatedAt,
                    reactors: key.reactors.map { Reactor(user: $0.user, offset: $0.offset) })
            })
    }
}
