import ChatModel
import Gateway
import Synchronization

/// The command rate per user, across all of the user's connections and requests on all loops.
package final class CommandRates: Sendable {
    private struct State {
        var rate: TokenBucket.Rate
        /// Unbounded, because it never holds more users than the chat has.
        var buckets = BucketTable<UserID>()
    }

    private let state: Mutex<State>

    package init(_ rate: TokenBucket.Rate) { state = Mutex(State(rate: rate)) }

    /// Changes the rate, also for remembered users.
    package func adopt(_ rate: TokenBucket.Rate) { state.withLock { $0.rate = rate } }

    var rate: TokenBucket.Rate { state.withLock(\.rate) }

    /// The number of remembered users. When the table grows, it drops users whose burst has refilled.
    package var count: Int { state.withLock(\.buckets.count) }

    /// A command costs one token plus one per this many bytes, because the cost of parsing depends on its size.
    package static let bytesPerToken = 16_384

    /// - Parameters:
    ///   - bytes: The size of the unparsed command.
    ///   - now: The time in milliseconds, from a clock shared by all loops.
    /// - Returns: Nil when the user may proceed; otherwise the milliseconds until then.
    package func charge(_ user: UserID, bytes: Int = 0, now: Int64) -> Int64? {
        chargeReportingLeft(user, bytes: bytes, now: now).wait
    }

    /// Returns the milliseconds until the user may send a command of this size, or nil if that is now. Takes nothing.
    package func wait(_ user: UserID, bytes: Int, now: Int64) -> Int64? {
        let count = 1 + max(0, bytes) / Self.bytesPerToken
        return state.withLock { $0.buckets.wait(user, count, $0.rate, now: now) }
    }

    /// Charges like `charge(_:bytes:now:)` and also returns how many tokens the user has left.
    package func chargeReportingLeft(_ user: UserID, bytes: Int = 0, now: Int64) -> (wait: Int64?, left: Int) {
        let count = 1 + max(0, bytes) / Self.bytesPerToken
        return state.withLock { $0.buckets.charge(user, count, $0.rate, now: now) }
    }
}
