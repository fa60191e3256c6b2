import ChatModel

/// A key that spreads evenly over shards, whatever clients send.
protocol ShardKey: Hashable {
    /// A number whose lowest bits are random.
    var shard: Int { get }
}

/// A dictionary that grows in parts. A plain dictionary rehashes everything at once when it grows, which takes long if
/// it is large.
struct ShardedDictionary<Key: ShardKey, Value> {
    /// Above this many entries they are spread over shards.
    private static var smallCount: Int { 4_096 }
    private static var shardCount: Int { 64 }

    /// All entries, while there are few.
    private var small: [Key: Value] = [:]
    /// All entries after that; empty until then.
    private var shards: [[Key: Value]] = []

    private func index(of key: Key) -> Int { key.shard & (Self.shardCount - 1) }

    subscript(key: Key) -> Value? {
        get { shards.isEmpty ? small[key] : shards[index(of: key)][key] }
        set {
            guard let newValue else {
                _ = removeValue(forKey: key)
                return
            }
            spreadIfLarge()
            if shards.isEmpty { small[key] = newValue } else { shards[index(of: key)][key] = newValue }
        }
        _modify {
            spreadIfLarge()
            if shards.isEmpty { yield &small[key] } else { yield &shards[index(of: key)][key] }
        }
    }

    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        _modify {
            spreadIfLarge()
            if shards.isEmpty {
                yield &small[key, default: value()]
            } else {
                yield &shards[index(of: key)][key, default: value()]
            }
        }
    }

    mutating func removeValue(forKey key: Key) -> Value? {
        shards.isEmpty ? small.removeValue(forKey: key) : shards[index(of: key)].removeValue(forKey: key)
    }

    /// - Parameter count: The expected number of entries.
    mutating func reserveCapacity(_ count: Int) {
        guard count > Self.smallCount else { return small.reserveCapacity(count) }
        if shards.isEmpty { spread() }
        // Slightly more than an even share, so that no shard grows again for its last entries.
        for index in shards.indices { shards[index].reserveCapacity(count / Self.shardCount * 9 / 8) }
    }

    private mutating func spreadIfLarge() {
        if shards.isEmpty, small.count >= Self.smallCount { spread() }
    }

    private mutating func spread() {
        shards = Array(repeating: [:], count: Self.shardCount)
        for (key, value) in small { shards[index(of: key)][key] = value }
        small = [:]
    }
}

extension ShardedDictionary: Sequence {
    /// In no particular order.
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        ([small] + shards).lazy.joined().makeIterator()
    }
}

extension MessageID: ShardKey {
    var shard: Int { Int(truncatingIfNeeded: low) }
}

extension Int: ShardKey {
    /// The key must be a hash.
    var shard: Int { self }
}
