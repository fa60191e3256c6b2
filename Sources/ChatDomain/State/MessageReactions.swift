import ChatModel

/// The reactions on one message: per key, who reacted, in the order of reacting.
struct MessageReactions {
    struct Reactor {
        /// The offset of the event by which they reacted.
        let offset: UInt64
        let user: UserID
    }

    struct Key {
        let key: String
        /// Ascending by offset.
        fileprivate(set) var reactors: [Reactor] = []
        fileprivate var offsets: [UserID: UInt64] = [:]
        fileprivate(set) var updatedAt: Int64 = 0

        func contains(_ user: UserID) -> Bool { offsets[user] != nil }

        /// The first place after an offset.
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

    /// In the order in which the keys came to the message; none of them without people.
    private(set) var keys: [Key] = []
    /// The time of the last change. Greater with every change: clients tell by it which count is the newer one.
    private(set) var updatedAt: Int64 = 0

    init() {}

    init(_ part: ReactionsPart) {
        updatedAt = part.updatedAt
        keys = part.keys.map { key in
            Key(
                key: key.key, reactors: key.reactors.map { Reactor(offset: $0.offset, user: $0.user) },
                offsets: Dictionary(key.reactors.map { ($0.user, $0.offset) }, uniquingKeysWith: max),
                updatedAt: key.updatedAt)
        }
    }

    subscript(key: String) -> Key? { keys.first { $0.key == key } }

    mutating func add(_ key: String, by user: UserID, offset: UInt64, at: Int64) {
        updatedAt = max(at, updatedAt + 1)
        let index = keys.firstIndex { $0.key == key } ?? keys.count
        if index == keys.count { keys.append(Key(key: key)) }
        keys[index].reactors.append(Reactor(offset: offset, user: user))
        keys[index].offsets[user] = offset
        keys[index].updatedAt = updatedAt
    }

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
