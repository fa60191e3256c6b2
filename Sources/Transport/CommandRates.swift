import ChatModel
import Gateway
import Synchronization

/// How much each user says, over all of the user's connections and requests, on whichever loops these are.
package final class CommandRates: Sendable {
    private struct Buckets {
        var rate: TokenBucket.Rate
        var ofUser: [UserID: TokenBucket] = [:]
        /// As many as there may be until the full ones are let go of.
        var limit = CommandRates.smallest
    }

    private static let smallest = 1_024

    private let buckets: Mutex<Buckets>

    package init(_ rate: TokenBucket.Rate) { buckets = Mutex(Buckets(rate: rate)) }

    /// Goes by another rate, also for whom something is remembered.
    package func adopt(_ rate: TokenBucket.Rate) { buckets.withLock { $0.rate = rate } }

    var rate: TokenBucket.Rate { buckets.withLock(\.rate) }

    /// Users of whom something is remembered: who says nothing for a burst's time is forgotten when more come.
    package var count: Int { buckets.withLock { $0.ofUser.count } }

    /// - Parameter now: Milliseconds of one clock for all loops.
    /// - Returns: Nil when the user may go on, or in how many milliseconds that is so.
    package func take(_ user: UserID, now: Int64) -> Int64? { takeOne(user, now: now).wait }

    /// The same, and how many more the user may take at once.
    package func takeOne(_ user: UserID, now: Int64) -> (wait: Int64?, left: Int) {
        buckets.withLock { buckets in
            if buckets.ofUser.count >= buckets.limit {
                buckets.ofUser = buckets.ofUser.filter { !$0.value.isFull(now: now) }
                buckets.limit = max(Self.smallest, 2 * buckets.ofUser.count)
            }
            let rate = buckets.rate
            let wait = buckets.ofUser[user, default: TokenBucket()].take(rate, now: now)
            return (wait, buckets.ofUser[user]?.count(rate, now: now) ?? 0)
        }
    }
}
