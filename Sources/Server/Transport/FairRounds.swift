import DequeModule

/// A round-robin queue for a loop's turns. Each round serves every key once, and a key's members in order, so that one
/// user's hundred large answers do not delay another user's first.
struct FairRounds<Key: Hashable, Member> {
    private var order: Deque<Key> = []
    /// Never empty for a key in `order`; absent for all others.
    private var waiting: [Key: Deque<Member>] = [:]

    var isEmpty: Bool { order.isEmpty }

    /// Whether the key has waiting members.
    func contains(_ key: Key) -> Bool { waiting[key] != nil }

    mutating func append(_ member: Member, of key: Key) {
        if waiting[key] == nil { order.append(key) }
        waiting[key, default: []].append(member)
    }

    /// - Returns: Nil when the queue is empty.
    mutating func next() -> Member? {
        guard let key = order.popFirst(), var members = waiting.removeValue(forKey: key) else { return nil }
        let member = members.popFirst()
        if !members.isEmpty {
            waiting[key] = members
            order.append(key)
        }
        return member
    }
}
