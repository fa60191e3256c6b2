import EventLoops
import Gateway
import Synchronization

/// How many guests each address makes, over all loops: what costs nobody an account is to cost time.
///
/// An address is an IPv4 address or an IPv6 /64. The network around it, an IPv4 /24 or an IPv6 /48, makes a few times as
/// many: one subscriber has 65,536 /64 of IPv6.
package final class GuestRates: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Guests that one address makes at once.
        package var perAddress = 20
        /// Seconds until it may make one more.
        package var secondsEach = 60
        package init() {}

        fileprivate var ofAddress: TokenBucket.Rate { TokenBucket.Rate(onePerSeconds: secondsEach, burst: perAddress) }
        fileprivate var ofNetwork: TokenBucket.Rate {
            let factor = GuestRates.addressesPerNetwork
            let (burst, isTooMuch) = perAddress.multipliedReportingOverflow(by: factor)
            return TokenBucket.Rate(onePerSeconds: max(1, secondsEach / factor), burst: isTooMuch ? .max : burst)
        }
    }

    /// A network makes as many as so many addresses.
    package static let addressesPerNetwork = 5
    /// Addresses of which something is remembered; beyond it new ones share what they make.
    package static let addresses = AddressBuckets.bound

    private struct State {
        var limits: Limits
        var buckets = AddressBuckets()
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
        let blocks = AddressBlock.Pair(address)
        return state.withLock {
            $0.buckets.take(blocks, ofAddress: $0.limits.ofAddress, ofNetwork: $0.limits.ofNetwork, now: now)
        }
    }
}
