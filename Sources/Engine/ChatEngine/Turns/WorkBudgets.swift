import ChatModel

/// What each payer may still use: engine work, and bytes to store.
///
/// Each payer has a token bucket that commands drain and time refills. A command is charged afterwards, when its cost
/// is known. A payer that owes more than the bucket holds must wait until the excess is paid off.
struct WorkBudgets {
    private final class Bucket {
        /// The debt in work units and bytes, at time `at`.
        var work = 0
        var bytes = 0
        var at: Int64

        init(at: Int64) { self.at = at }

        /// Pays off the debt for the time elapsed until `now`.
        func settle(_ allowance: WorkAllowance, now: Int64) {
            let milliseconds = Int(clamping: min(max(0, now - at), 3_600_000))
            work = max(0, work - milliseconds * allowance.work.perSecond)
            bytes = max(0, bytes - milliseconds * allowance.bytes.perSecond / 1_000)
            at = now
        }

        /// Milliseconds until the debt fits the buckets; `nil` if it already does.
        func retryAfter(_ allowance: WorkAllowance) -> Int64? {
            // A unit is a thousandth of a microsecond, a millisecond a thousandth of a second: both factors cancel.
            let work = (work - allowance.work.burst * 1_000) / allowance.work.perSecond
            let bytes = (bytes - allowance.bytes.burst) * 1_000 / allowance.bytes.perSecond
            let isOver = self.work > allowance.work.burst * 1_000 || self.bytes > allowance.bytes.burst
            return isOver ? Int64(max(work, bytes, 0) + 1) : nil
        }
    }

    private let limits: WorkLimits
    private var buckets: [Payer: Bucket] = [:]
    private var pruneAt = 1_024

    init(_ limits: WorkLimits) { self.limits = limits }

    /// The number of payers with a bucket.
    var count: Int { buckets.count }

    /// - Returns: Milliseconds until the payers may send again; `nil` if they may now.
    func retryAfter(_ payers: Payers, now: Int64) -> Int64? {
        switch payers {
        case .server: return nil
        case .user(let user): return retryAfter(.user(user), limits.user, now: now)
        case .guest(let user, let address):
            let own = retryAfter(.user(user), limits.guest, now: now)
            guard let address, let shared = retryAfter(.guests(of: address), limits.guestsPerAddress, now: now) else {
                return own
            }
            return max(own ?? 0, shared)
        }
    }

    private func retryAfter(_ payer: Payer, _ allowance: WorkAllowance, now: Int64) -> Int64? {
        guard let bucket = buckets[payer] else { return nil }
        bucket.settle(allowance, now: now)
        return bucket.retryAfter(allowance)
    }

    mutating func charge(_ payers: Payers, work: Int, bytes: Int, now: Int64) {
        switch payers {
        case .server: return
        case .user(let user): charge(.user(user), limits.user, work, bytes, now: now)
        case .guest(let user, let address):
            charge(.user(user), limits.guest, work, bytes, now: now)
            if let address { charge(.guests(of: address), limits.guestsPerAddress, work, bytes, now: now) }
        }
        if buckets.count >= pruneAt { prune(now: now) }
    }

    private mutating func charge(
        _ payer: Payer, _ allowance: WorkAllowance, _ work: Int, _ bytes: Int, now: Int64
    ) {
        let bucket: Bucket
        if let known = buckets[payer] {
            bucket = known
            bucket.settle(allowance, now: now)
        } else {
            bucket = Bucket(at: now)
            buckets[payer] = bucket
        }
        bucket.work += work
        bucket.bytes += bytes
    }

    /// Drops payers without debt.
    private mutating func prune(now: Int64) {
        buckets = buckets.filter { payer, bucket in
            bucket.settle(allowance(of: payer), now: now)
            return bucket.work > 0 || bucket.bytes > 0
        }
        pruneAt = max(1_024, 2 * buckets.count)
    }

    private func allowance(of payer: Payer) -> WorkAllowance {
        switch payer {
        case .server: limits.user
        case .user(let user): user.isGuest ? limits.guest : limits.user
        case .guests: limits.guestsPerAddress
        }
    }
}
