import Gateway

/// One token bucket per key. A full bucket carries no information, so full ones are dropped when the table grows.
struct BucketTable<Key: Hashable> {
    private static var smallest: Int { 1_024 }
    /// The shortest time between two scans of a full table, because scanning happens under the owner's lock.
    private static var pauseMilliseconds: Int64 { 10_000 }
    /// Number of buckets that new keys share while the table is full.
    private static var sharedBuckets: Int { 1_024 }

    private let bound: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// A new key's bucket depends on its hash, which nobody outside the process can predict.
    private var shared: [TokenBucket] = []
    /// The table may grow to this size before full buckets are dropped.
    private var limit = smallest
    private var lookedAt: Int64?

    /// - Parameter bound: Keys remembered at most. Beyond it, a new key shares a bucket with other new keys until space
    ///   is freed, so filling the table locks nobody out.
    init(bound: Int = .max) { self.bound = bound }

    var count: Int { buckets.count }

    /// - Parameters:
    ///   - wanted: Number of tokens, at least 1.
    ///   - now: Milliseconds of any clock.
    /// - Returns: `wait` is nil when the tokens were taken, and otherwise the milliseconds until that many are
    ///   available; `left` is the number of tokens left.
    mutating func take(
        _ key: Key, _ wanted: Int = 1, _ rate: TokenBucket.Rate, now: Int64
    ) -> (wait: Int64?, left: Int) {
        if buckets.count >= limit { forget(now: now) }
        if let place = sharedPlace(of: key) {
            let wait = shared[place].take(rate, wanted, now: now)
            return (wait, shared[place].count(rate, now: now))
        }
        var bucket = buckets[key] ?? TokenBucket()
        let wait = bucket.take(rate, wanted, now: now)
        buckets[key] = bucket
        return (wait, bucket.count(rate, now: now))
    }

    /// Puts back tokens that were taken but not used.
    mutating func putBack(_ key: Key, _ count: Int, _ rate: TokenBucket.Rate) {
        if let place = sharedPlace(of: key) {
            shared[place].putBack(rate, count)
        } else {
            buckets[key]?.putBack(rate, count)
        }
    }

    /// Milliseconds until a remembered key has that many tokens; nil if it has them now, and for a new key. Takes
    /// nothing.
    func wait(_ key: Key, _ wanted: Int = 1, _ rate: TokenBucket.Rate, now: Int64) -> Int64? {
        guard var bucket = buckets[key] else { return nil }
        return bucket.take(rate, wanted, now: now)
    }

    /// - Returns: Nil for a key that has its own bucket or will get one.
    private mutating func sharedPlace(of key: Key) -> Int? {
        guard buckets.count >= bound, buckets[key] == nil else { return nil }
        if shared.isEmpty { shared = Array(repeating: TokenBucket(), count: Self.sharedBuckets) }
        return Int(UInt(bitPattern: key.hashValue) % UInt(Self.sharedBuckets))
    }

    private mutating func forget(now: Int64) {
        // The magnitude covers both directions, because the clock may have been set back.
        let pause = UInt64(Self.pauseMilliseconds)
        if buckets.count >= bound, let lookedAt, (now &- lookedAt).magnitude < pause { return }
        lookedAt = now
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        limit = max(Self.smallest, min(bound, 2 * buckets.count))
    }
}
