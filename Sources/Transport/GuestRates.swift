import EventLoops
import Gateway
import Synchronization

/// How many guests each address makes, over all loops: what costs nobody an account is to cost time.
///
/// The last half of an IPv6 address is its owner's to choose, and is left out (RFC 4291 §2.5.1).
package final class GuestRates: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Guests that one address makes at once.
        package var perAddress = 20
        /// Seconds until it may make one more.
        package var secondsEach = 60
        package init() {}
    }

    /// Addresses of which something is remembered; beyond it a new one makes none until others are forgotten.
    package static let addresses = 100_000

    private struct State {
        var limits: Limits
        var buckets = BucketTable<[UInt8]>(bound: GuestRates.addresses)
    }

    private let state: Mutex<State>

    package init(_ limits: Limits) { state = Mutex(State(limits: limits)) }

    /// Goes by other limits, also for whom something is remembered.
    package func adopt(_ limits: Limits) { state.withLock { $0.limits = limits } }

    /// Addresses of which something is remembered.
    package var count: Int { state.withLock(\.buckets.count) }

    /// - Parameters:
    ///   - address: Nil where it is not known; all of these count as one.
    ///   - now: Milliseconds of one clock for all loops.
    /// - Returns: Nil when one more guest may be made, or in how many milliseconds that is so.
    package func take(_ address: String?, now: Int64) -> Int64? {
        let key = address.map(Self.key) ?? []
        return state.withLock { state in
            let rate = TokenBucket.Rate(onePerSeconds: state.limits.secondsEach, burst: state.limits.perAddress)
            return state.buckets.take(key, rate, now: now).wait
        }
    }

    private static func key(_ address: String) -> [UInt8] {
        guard let bytes = IPAddress(address)?.bytes else { return Array(address.utf8) }
        return bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
    }
}
