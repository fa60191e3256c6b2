import EventLoops
import Gateway
import Synchronization

/// Limits how many guests each address creates, across all loops. Guests need no account, so creating many of them must
/// take time.
///
/// An address is an IPv4 address or an IPv6 /64. The surrounding network, an IPv4 /24 or an IPv6 /48, may create a few
/// times as many, because a single subscriber can have 65,536 IPv6 /64 blocks.
package final class GuestRates: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The number of guests one address may create in a burst.
        package var perAddress = 20
        /// Seconds until the address may create one more guest.
        package var secondsEach = 60
        package init() {}

        fileprivate var addressRate: TokenBucket.Rate {
            TokenBucket.Rate(secondsPerToken: secondsEach, burst: perAddress)
        }
        fileprivate var networkRate: TokenBucket.Rate {
            let factor = GuestRates.addressesPerNetwork
            let (burst, isTooMuch) = perAddress.multipliedReportingOverflow(by: factor)
            return TokenBucket.Rate(secondsPerToken: max(1, secondsEach / factor), burst: isTooMuch ? .max : burst)
        }
    }

    /// A network may create as many guests as this many addresses.
    package static let addressesPerNetwork = 5
    /// The maximum number of remembered addresses; beyond this, new ones share buckets.
    package static let addresses = AddressBuckets.bound

    private struct State {
        var limits: Limits
        var buckets = AddressBuckets()
    }

    private let state: Mutex<State>

    package init(_ limits: Limits) { state = Mutex(State(limits: limits)) }

    /// Changes the limits, also for remembered addresses.
    package func adopt(_ limits: Limits) { state.withLock { $0.limits = limits } }

    package var count: Int { state.withLock(\.buckets.count) }

    /// - Parameters:
    ///   - address: Nil when unknown; all unknown addresses count as one.
    ///   - now: The time in milliseconds, from a clock shared by all loops.
    /// - Returns: Nil when one more guest may be created; otherwise the milliseconds until then.
    package func charge(_ address: String?, now: Int64) -> Int64? {
        let blocks = AddressBlock.Pair(address)
        return state.withLock {
            $0.buckets.charge(blocks, addressRate: $0.limits.addressRate, networkRate: $0.limits.networkRate, now: now)
        }
    }
}
