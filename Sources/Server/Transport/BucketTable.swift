import Gateway

/// One token bucket per key. A full bucket carries no information, so the table drops full ones when it grows.
struct BucketTable<Key: Hashable> {
    private static var minimumLimit: Int { 1_024 }
    /// The minimum time between two scans of a full table. Scanning happens under the owner's lock.
    private static var scanPauseMilliseconds: Int64 { 10_000 }
    /// The number of buckets that new keys share while the table is full.
    private static var sharedBuckets: Int { 1_024 }

    private let bound: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// Shared buckets, indexed by the key's hash, which nobody outside the process can predict.
    private var shared: [TokenBucket] = []
    /// The size the table may reach before it drops full buckets.
    private var limit = minimumLimit
    private var lastScan: Int64?

    /// - Parameter bound: The maximum number of remembered keys. Beyond it, new keys share buckets until space is
    ///   freed, so filling the table locks nobody out.
    init(bound: Int = .max) { self.bound = bound }

    var count: Int { buckets.count }

    /// - Parameters:
    ///   - wanted: The number of tokens, at least 1.
    ///   - now: Milliseconds of any clock.
    /// - Returns: `wait` is nil when the tokens were taken, and otherwise the milliseconds until enough are available;
    ///   `left` is the number of tokens left.
    mutating func charge(
        _ key: Key, _ wanted: Int = 1, _ rate: TokenBucket.Rate, now: Int64
    ) -> (wait: Int64?, left: Int) {
        if buckets.count >= limit { dropFullBuckets(now: now) }
        if let index = sharedIndex(of: key) {
            let wait = shared[index].consume(rate, wanted, now: now)
            return (wait, shared[index].count(rate, now: now))
        }
        var bucket = buckets[key] ?? TokenBucket()
        let wait = bucket.consume(rate, wanted, now: now)
        buckets[key] = bucket
        return (wait, bucket.count(rate, now: now))
    }

    /// Refunds tokens that were not used.
    mutating func refund(_ key: Key, _ count: Int, _ rate: TokenBucket.Rate) {
        if let index = sharedIndex(of: key) {
            shared[index].refund(rate, count)
        } else {
            buckets[key]?.refund(rate, count)
        }
    }

    /// Returns the milliseconds until a key has that many tokens, or nil if it has them now or is new. Takes nothing.
    func wait(_ key: Key, _ wanted: Int = 1, _ rate: TokenBucket.Rate, now: Int64) -> Int64? {
        guard var bucket = buckets[key] else { return nil }
        return bucket.consume(rate, wanted, now: now)
    }

    /// - Returns: Nil for a key that has or will get its own bucket.
    private mutating func sharedIndex(of key: Key) -> Int? {
        guard buckets.count >= bound, buckets[key] == nil else { return nil }
        if shared.isEmpty { shared = Array(repeating: TokenBucket(), count: Self.sharedBuckets) }
        return Int(UInt(bitPattern: key.hashValue) % UInt(Self.sharedBuckets))
    }

    private mutating func dropFullBuckets(now: Int64) {
        // The magnitude also covers a clock that was set back.
        let pause = UInt64(Self.scanPauseMilliseconds)
        if buckets.count >= bound, let lastScan, (now &- lastScan).magnitude < pause { return }
        lastScan = now
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        limit = max(Self.minimumLimit, min(bound, 2 * buckets.count))
    }
}
