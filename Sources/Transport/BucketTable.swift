import Gateway

/// A token bucket for each key. One that is full again is as good as none, and is let go of when more come.
struct BucketTable<Key: Hashable> {
    private static var smallest: Int { 1_024 }
    /// A table at its bound is looked through no more often than this: it is done under its owner's lock.
    private static var pauseMilliseconds: Int64 { 10_000 }

    private let bound: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// As many as there may be until the full ones are let go of.
    private var limit = smallest
    private var lookedAt: Int64?

    /// - Parameter bound: Keys of which something is remembered; beyond it a new one gets nothing until others are forgotten.
    init(bound: Int = .max) { self.bound = bound }

    var count: Int { buckets.count }

    /// - Parameter now: Milliseconds of any clock.
    /// - Returns: Nil when there was one to take, or in how many milliseconds there is; and how many are left.
    mutating func take(_ key: Key, _ rate: TokenBucket.Rate, now: Int64) -> (wait: Int64?, left: Int) {
        if buckets.count >= limit { forget(now: now) }
        let known = buckets[key]
        guard known != nil || buckets.count < bound else { return (rate.secondsInAll * 1_000, 0) }
        var bucket = known ?? TokenBucket()
        let wait = bucket.take(rate, now: now)
        buckets[key] = bucket
        return (wait, bucket.count(rate, now: now))
    }

    /// In how many milliseconds there is one to take for a key of which something is remembered; nil for now, and for a key
    /// that is new. Nothing is taken.
    func wait(_ key: Key, _ rate: TokenBucket.Rate, now: Int64) -> Int64? {
        guard var bucket = buckets[key] else { return nil }
        return bucket.take(rate, now: now)
    }

    private mutating func forget(now: Int64) {
        // Either way: the clock may have been set back.
        let pause = UInt64(Self.pauseMilliseconds)
        if buckets.count >= bound, let lookedAt, (now &- lookedAt).magnitude < pause { return }
        lookedAt = now
        buckets = buckets.filter { !$0.value.isFull(now: now) }
        limit = max(Self.smallest, min(bound, 2 * buckets.count))
    }
}
