import DequeModule

/// Who waits for a share of a loop's turns: each key is served once per round, and the members of a key in turn, so
/// that one user's hundred large answers never stand before another's first.
struct FairRounds<Key: Hashable, Member> {
    private var order: Deque<Key> = []
    /// Never empty for a key in `order`, and absent for all others.
    private var waiting: [Key: Deque<Member>] = [:]

    var isEmpty: Bool { order.isEmpty }

    /// Whether anybody waits for this key's share.
    func contains(_ key: Key) -> Bool { waiting[key] != nil }

    mutating func append(_ member: Member, of key: Key) {
        if waiting[key] == nil { order.append(key) }
        waiting[key, default: []].append(member)
    }

    /// - Returns: Nil when nobody waits.
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
