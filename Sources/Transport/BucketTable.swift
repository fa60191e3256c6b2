import Gateway

/// A token bucket for each key. One that is full again is as good as none, and is let go of when more come.
struct BucketTable<Key: Hashable> {
    private static var smallest: Int { 1_024 }
    /// A table at its bound is looked through no more often than this: it is done under its owner's lock.
    private static var pauseMilliseconds: Int64 { 10_000 }
    /// Of those that newcomers share while the table is full.
    private static var sharedBuckets: Int { 1_024 }

    private let bound: Int
    private var buckets: [Key: TokenBucket] = [:]
    /// Which one is a newcomer's depends on the hash of its key, which nobody outside of the process can know.
    private var shared: [TokenBucket] = []
    /// As many as there may be until the full ones are let go of.
    private var limit = smallest
    private var lookedAt: Int64?

    /// - Parameter bound: Keys of which something is remembered; beyond it, until others are forgotten, a new one shares a
    ///   bucket with others that are new: whoever fills the table shuts nobody out.
    init(bound: Int = .max) { self.bound = bound }

    var count: Int { buckets.count }

    /// - Parameters:
    ///   - wanted: How many, at least 1.
    ///   - now: Milliseconds of any clock.
    /// - Returns: Nil when there were so many to take, or in how many milliseconds there are; and how many are left.
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

    /// Puts back what was taken and not used.
    mutating func putBack(_ key: Key, _ count: Int, _ rate: TokenBucket.Rate) {
        if let place = sharedPlace(of: key) {
            shared[place].putBack(rate, count)
        } else {
            buckets[key]?.putBack(rate, count)
        }
    }

    /// In how many milliseconds there are so many to take for a key of which something is remembered; nil for now, and for
    /// a key that is new. Nothing is taken.
    func wait(_ key: Key, _ wanted: Int = 1, _ rate: TokenBucket.Rate, now: Int64) -> Int64? {
        guard var bucket = buckets[key] else { return nil }
        return bucket.take(rate, wanted, now: now)
    }

    /// - Returns: Nil for a key that has a bucket of its own, or gets one.
    private mutating func sharedPlace(of key: Key) -> Int? {
        guard buckets.count >= bound, buckets[key] == nil else { return nil }
        if shared.isEmpty { shared = Array(repeating: TokenBucket(), count: Self.sharedBuckets) }
        return Int(UInt(bitPattern: key.hashValue) % UInt(Self.sharedBuckets))
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
