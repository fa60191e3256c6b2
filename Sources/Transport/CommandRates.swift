import ChatModel
import Gateway
import Synchronization

/// How much each user says, over all of the user's connections and requests, on whichever loops these are.
package final class CommandRates: Sendable {
    private struct State {
        var rate: TokenBucket.Rate
        /// Without a bound of its own: there are no more users than the chat has.
        var buckets = BucketTable<UserID>()
    }

    private let state: Mutex<State>

    package init(_ rate: TokenBucket.Rate) { state = Mutex(State(rate: rate)) }

    /// Goes by another rate, also for whom something is remembered.
    package func adopt(_ rate: TokenBucket.Rate) { state.withLock { $0.rate = rate } }

    var rate: TokenBucket.Rate { state.withLock(\.rate) }

    /// Users of whom something is remembered: who says nothing for a burst's time is forgotten when more come.
    package var count: Int { state.withLock(\.buckets.count) }

    /// A command costs one, and one more for each so many bytes of it. What
    /// reading a command costs depends on them, however it is then answered.
    package static let bytesInOne = 16_384

    /// - Parameters:
    ///   - bytes: Of the command, before it is read.
    ///   - now: Milliseconds of one clock for all loops.
    /// - Returns: Nil when the user may go on, or in how many milliseconds that is so.
    package func take(_ user: UserID, bytes: Int = 0, now: Int64) -> Int64? {
        takeOne(user, bytes: bytes, now: now).wait
    }

    /// The same, and how many more the user may take at once.
    package func takeOne(_ user: UserID, bytes: Int = 0, now: Int64) -> (wait: Int64?, left: Int) {
        let count = 1 + max(0, bytes) / Self.bytesInOne
        return state.withLock { $0.buckets.take(user, count, $0.rate, now: now) }
    }
}
