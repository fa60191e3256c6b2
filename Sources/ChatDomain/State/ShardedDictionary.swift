import ChatModel

/// Spreads itself evenly over shards, whatever clients do.
protocol ShardKey: Hashable {
    /// Any number whose lowest bits are random.
    var shard: Int { get }
}

/// A dictionary that grows in parts. One in a single piece is drawn up anew when it grows, all of it at once, and that
/// takes long where it is large.
struct ShardedDictionary<Key: ShardKey, Value> {
    /// Beyond so many entries it is spread out.
    private static var smallCount: Int { 4_096 }
    private static var shardCount: Int { 64 }

    /// Everything, while that is little.
    private var small: [Key: Value] = [:]
    /// Everything after that; none until then.
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

    /// - Parameter count: How many entries there will be.
    mutating func reserveCapacity(_ count: Int) {
        guard count > Self.smallCount else { return small.reserveCapacity(count) }
        if shards.isEmpty { spread() }
        // A little more than an even share: no shard is to grow once more for the last of its entries.
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
    /// In no order.
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        ([small] + shards).lazy.joined().makeIterator()
    }
}

extension MessageID: ShardKey {
    var shard: Int { Int(truncatingIfNeeded: low) }
}

extension Int: ShardKey {
    /// Of a hash.
    var shard: Int { self }
}
