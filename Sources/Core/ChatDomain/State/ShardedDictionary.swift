import ChatModel

/// A key that spreads evenly over shards, regardless of the clients' choices.
protocol ShardKey: Hashable {
    /// A number whose lowest bits are random.
    var shard: Int { get }
}

extension ShardKey {
    /// The hash value. Its seed differs per process, so no client can choose keys that share a shard.
    var shard: Int { hashValue }
}

/// A dictionary that grows in parts. A plain dictionary rehashes everything when it grows, which takes too long for a
/// large one.
struct ShardedDictionary<Key: ShardKey, Value> {
    /// The number of entries above which they are spread over shards. Moving this few takes less than a millisecond.
    private static var smallCount: Int { 1_024 }
    static var shardCount: Int { 64 }

    /// All entries while there are few.
    private var small: [Key: Value] = [:]
    /// All entries after they moved to shards; empty until then.
    private var shards: [[Key: Value]] = []
    private(set) var count = 0

    private func index(of key: Key) -> Int { key.shard & (Self.shardCount - 1) }

    subscript(key: Key) -> Value? {
        get { shards.isEmpty ? small[key] : shards[index(of: key)][key] }
        set {
            if let newValue { _ = updateValue(newValue, forKey: key) } else { _ = removeValue(forKey: key) }
        }
        _modify {
            spreadIfLarge()
            if shards.isEmpty {
                defer { count = small.count }
                yield &small[key]
            } else {
                let index = index(of: key)
                let before = shards[index].count
                defer { count += shards[index].count - before }
                yield &shards[index][key]
            }
        }
    }

    /// Changes a value in place. A subscript would be a coroutine, which allocates memory.
    ///
    /// - Parameter initial: The value to change if the key is new.
    mutating func change(_ key: Key, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Void) {
        spreadIfLarge()
        if shards.isEmpty {
            body(&small[key, default: initial()])
            count = small.count
        } else {
            let index = index(of: key)
            let before = shards[index].count
            body(&shards[index][key, default: initial()])
            count += shards[index].count - before
        }
    }

    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        spreadIfLarge()
        let old =
            shards.isEmpty
            ? small.updateValue(value, forKey: key) : shards[index(of: key)].updateValue(value, forKey: key)
        if old == nil { count += 1 }
        return old
    }

    mutating func removeValue(forKey key: Key) -> Value? {
        let old = shards.isEmpty ? small.removeValue(forKey: key) : shards[index(of: key)].removeValue(forKey: key)
        if old != nil { count -= 1 }
        return old
    }

    mutating func removeAll(where isGone: (Value) -> Bool) {
        for key in filter({ isGone($0.value) }).map(\.key) { _ = removeValue(forKey: key) }
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

/// Iterates in no particular order.
extension ShardedDictionary: Collection {
    struct Index: Comparable {
        fileprivate let shard: Int
        fileprivate let entry: [Key: Value].Index

        static func < (a: Self, b: Self) -> Bool { (a.shard, a.entry) < (b.shard, b.entry) }
    }

    var isEmpty: Bool { count == 0 }
    var keys: [Key] { shards.isEmpty ? Array(small.keys) : shards.flatMap(\.keys) }
    var values: LazyMapSequence<Self, Value> { lazy.map(\.value) }

    /// Returns the values of one of `shardCount` parts, so that a pass over all can take several turns.
    func values(ofShard index: Int) -> [Value] {
        shards.isEmpty ? (index == 0 ? Array(small.values) : []) : Array(shards[index].values)
    }

    /// Faster than stepping through indices, which finds the shard in each step.
    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        ([small] + shards).lazy.joined().makeIterator()
    }

    var startIndex: Index { settled(0, shard(0).startIndex) }
    var endIndex: Index {
        let last = Swift.max(0, shards.count - 1)
        return Index(shard: last, entry: shard(last).endIndex)
    }

    func index(after index: Index) -> Index { settled(index.shard, shard(index.shard).index(after: index.entry)) }
    subscript(index: Index) -> (key: Key, value: Value) { shard(index.shard)[index.entry] }

    /// Returns the value alone, because copying a key costs more than most passes spend on an entry.
    func value(at index: Index) -> Value { shard(index.shard).values[index.entry] }

    private func shard(_ index: Int) -> [Key: Value] { shards.isEmpty ? small : shards[index] }

    /// Returns the index of an entry, or of the next shard's first entry if this shard has no more.
    private func settled(_ shard: Int, _ entry: [Key: Value].Index) -> Index {
        var (shard, entry) = (shard, entry)
        while entry == self.shard(shard).endIndex, shard < shards.count - 1 {
            shard += 1
            entry = self.shard(shard).startIndex
        }
        return Index(shard: shard, entry: entry)
    }
}

extension MessageID: ShardKey {
    var shard: Int { Int(truncatingIfNeeded: low) }
}

extension UserID: ShardKey {}
extension ChannelID: ShardKey {}
extension FileID: ShardKey {}
extension Device: ShardKey {}
extension DistinctKey: ShardKey {}

extension Int: ShardKey {
    /// The key itself, which must be a hash.
    var shard: Int { self }
}
