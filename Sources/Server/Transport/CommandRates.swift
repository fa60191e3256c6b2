import ChatModel
import Gateway
import Synchronization

/// The command rate of each user, over all of the user's connections and requests on all loops.
package final class CommandRates: Sendable {
    private struct State {
        var rate: TokenBucket.Rate
        /// Unbounded: it never holds more users than the chat has.
        var buckets = BucketTable<UserID>()
    }

    private let state: Mutex<State>

    package init(_ rate: TokenBucket.Rate) { state = Mutex(State(rate: rate)) }

    /// Changes the rate, for remembered users too.
    package func adopt(_ rate: TokenBucket.Rate) { state.withLock { $0.rate = rate } }

    var rate: TokenBucket.Rate { state.withLock(\.rate) }

    /// Users remembered; after a pause long enough to refill the burst, a user is dropped when the table grows.
    package var count: Int { state.withLock(\.buckets.count) }

    /// A command costs one token, plus one for each this many bytes, because the cost of parsing a command depends on
    /// its size whatever the answer.
    package static let bytesPerToken = 16_384

    /// - Parameters:
    ///   - bytes: Size of the command before it is parsed.
    ///   - now: Milliseconds of one clock shared by all loops.
    /// - Returns: Nil when the user may proceed; otherwise the milliseconds until then.
    package func charge(_ user: UserID, bytes: Int = 0, now: Int64) -> Int64? {
        chargeReportingLeft(user, bytes: bytes, now: now).wait
    }

    /// Milliseconds until the user may send a command of this size; nil for now. Takes nothing.
    package func wait(_ user: UserID, bytes: Int, now: Int64) -> Int64? {
        let count = 1 + max(0, bytes) / Self.bytesPerToken
        return state.withLock { $0.buckets.wait(user, count, $0.rate, now: now) }
    }

    /// Like `charge(_:bytes:now:)`, and also returns how many tokens the user has left.
    package func chargeReportingLeft(_ user: UserID, bytes: Int = 0, now: Int64) -> (wait: Int64?, left: Int) {
        let count = 1 + max(0, bytes) / Self.bytesPerToken
        return state.withLock { $0.buckets.charge(user, count, $0.rate, now: now) }
    }
}
