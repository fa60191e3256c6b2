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

    private struct Buckets {
        var limits: Limits
        var ofAddress: [[UInt8]: TokenBucket] = [:]
        /// As many as there may be until the full ones are let go of.
        var limit = 1_024
    }

    private let buckets: Mutex<Buckets>

    package init(_ limits: Limits) { buckets = Mutex(Buckets(limits: limits)) }

    /// Goes by other limits, also for whom something is remembered.
    package func adopt(_ limits: Limits) { buckets.withLock { $0.limits = limits } }

    /// Addresses of which something is remembered.
    package var count: Int { buckets.withLock { $0.ofAddress.count } }

    /// - Parameters:
    ///   - address: Nil where it is not known; all of these count as one.
    ///   - now: Milliseconds of one clock for all loops.
    /// - Returns: Nil when one more guest may be made, or in how many milliseconds that is so.
    package func take(_ address: String?, now: Int64) -> Int64? {
        let key = address.map(Self.key) ?? []
        return buckets.withLock { buckets in
            let rate = TokenBucket.Rate(
                onePerSeconds: buckets.limits.secondsEach, burst: buckets.limits.perAddress)
            if buckets.ofAddress.count >= buckets.limit {
                buckets.ofAddress = buckets.ofAddress.filter { !$0.value.isFull(now: now) }
                buckets.limit = max(1_024, min(Self.addresses, 2 * buckets.ofAddress.count))
            }
            guard buckets.ofAddress.count < Self.addresses || buckets.ofAddress[key] != nil else {
                return rate.secondsInAll * 1_000
            }
            return buckets.ofAddress[key, default: TokenBucket()].take(rate, now: now)
        }
    }

    private static func key(_ address: String) -> [UInt8] {
        guard let bytes = IPAddress(address)?.bytes else { return Array(address.utf8) }
        return bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
    }
}
