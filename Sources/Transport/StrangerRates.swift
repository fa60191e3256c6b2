import EventLoops
import Gateway
import Synchronization

/// What each address may ask for without credentials, over all loops.
///
/// An address is an IPv4 address or an IPv6 /64; an IPv6 /48 may ask for a few times as much. Whoever shows a valid token
/// or key is not counted, so that a stranger cannot shut out users of the same address.
package final class StrangerRates: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Of one address.
        package var requests = TokenBucket.Rate(perSecond: 200, burst: 2_000)
        package init() {}

        fileprivate var ofNetwork: TokenBucket.Rate { requests.times(StrangerRates.addressesPerNetwork) }
    }

    /// A network asks for as much as so many addresses.
    package static let addressesPerNetwork = 5
    /// What `/metrics` costs: it is made anew for each request.
    static let ofMetrics = 5
    /// A `connect` of more bytes is read only if the address can pay for it, one for each so many bytes; it gets them back
    /// if the token is good.
    package static let connectBytesInOne = 4_096

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
    ///   - count: How many requests it counts as.
    ///   - now: Milliseconds of one clock for all loops.
    /// - Returns: Nil when it may be answered, or in how many milliseconds that is so.
    package func take(_ address: String?, _ count: Int = 1, now: Int64) -> Int64? {
        let blocks = AddressBlock.Pair(address)
        return state.withLock {
            $0.buckets.take(
                blocks, count, ofAddress: $0.limits.requests, ofNetwork: blocks.isIPv6 ? $0.limits.ofNetwork : nil,
                now: now)
        }
    }

    /// What was taken was asked by somebody who is known after all.
    package func putBack(_ address: String?, _ count: Int) {
        let blocks = AddressBlock.Pair(address)
        state.withLock {
            $0.buckets.putBack(
                blocks, count, ofAddress: $0.limits.requests, ofNetwork: blocks.isIPv6 ? $0.limits.ofNetwork : nil)
        }
    }
}
