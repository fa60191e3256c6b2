import ChatModel

/// What each payer may still ask of the engine: work, and bytes to store.
///
/// Each payer has a token bucket that commands drain and time refills. A command is charged afterwards, when its cost
/// is known. A payer that owes more than the bucket holds must wait until the excess is paid off.
struct WorkBudgets {
    private struct Bucket {
        /// The debt in work units and bytes, at time `at`.
        var work = 0
        var bytes = 0
        var at: Int64

        /// Pays off the debt for the time elapsed until `now`.
        mutating func settle(_ allowance: WorkAllowance, now: Int64) {
            let milliseconds = Int(clamping: min(max(0, now - at), 3_600_000))
            work = max(0, work - milliseconds * allowance.work.perSecond)
            bytes = max(0, bytes - milliseconds * allowance.bytes.perSecond / 1_000)
            at = now
        }

        /// Milliseconds until the debt fits the buckets; `nil` if it already does.
        func wait(_ allowance: WorkAllowance) -> Int64? {
            // A unit is a thousandth of a microsecond, a millisecond a thousandth of a second: both factors cancel.
            let work = (work - allowance.work.atOnce * 1_000) / allowance.work.perSecond
            let bytes = (bytes - allowance.bytes.atOnce) * 1_000 / allowance.bytes.perSecond
            let isOver = self.work > allowance.work.atOnce * 1_000 || self.bytes > allowance.bytes.atOnce
            return isOver ? Int64(max(work, bytes, 0) + 1) : nil
        }
    }

    private let limits: WorkLimits
    private var buckets: [Payer: Bucket] = [:]
    private var pruneAt = 1_024

    init(_ limits: WorkLimits) { self.limits = limits }

    /// The number of payers in debt.
    var count: Int { buckets.count }

    /// - Returns: Milliseconds until the payers may send again; `nil` if they may now.
    mutating func wait(_ payers: Payers, now: Int64) -> Int64? {
        var longest: Int64?
        for (payer, allowance) in allowances(of: payers) {
            guard var bucket = buckets[payer] else { continue }
            bucket.settle(allowance, now: now)
            buckets[payer] = bucket.work == 0 && bucket.bytes == 0 ? nil : bucket
            if let wait = bucket.wait(allowance) { longest = max(longest ?? 0, wait) }
        }
        return longest
    }

    mutating func charge(_ payers: Payers, work: Int, bytes: Int, now: Int64) {
        for (payer, allowance) in allowances(of: payers) {
            var bucket = buckets[payer] ?? Bucket(at: now)
            bucket.settle(allowance, now: now)
            bucket.work += work
            bucket.bytes += bytes
            buckets[payer] = bucket
        }
        guard buckets.count >= pruneAt else { return }
        // An hour pays off everything; a payer that sends nothing for long enough is dropped.
        buckets = buckets.filter { payer, bucket in
            var bucket = bucket
            bucket.settle(allowance(of: payer), now: now)
            return bucket.work > 0 || bucket.bytes > 0
        }
        pruneAt = max(1_024, 2 * buckets.count)
    }

    private func allowances(of payers: Payers) -> [(Payer, WorkAllowance)] {
        switch payers {
        case .server: []
        case .user(let user): [(.user(user), limits.user)]
        case .guest(let user, let address):
            address.map { [(.user(user), limits.guest), (.guests(of: $0), limits.guestsOfAddress)] }
                ?? [(.user(user), limits.guest)]
        }
    }

    private func allowance(of payer: Payer) -> WorkAllowance {
        switch payer {
        case .server: limits.user
        case .user(let user): user.isGuest ? limits.guest : limits.user
        case .guests: limits.guestsOfAddress
        }
    }
}
