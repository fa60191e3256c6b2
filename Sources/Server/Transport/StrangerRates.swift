import EventLoops
import Gateway
import Synchronization

/// Rate limits for requests without credentials, per address and across all loops.
///
/// An address is an IPv4 address or an IPv6 /64; an IPv6 /48 may send a few times as many requests. Requests with a
/// valid token or key are not counted, so that unauthenticated clients cannot lock out users at the same address.
package final class StrangerRates: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Per address.
        package var requests = TokenBucket.Rate(perSecond: 200, burst: 2_000)
        package init() {}

        fileprivate var networkRate: TokenBucket.Rate { requests.multiplied(by: StrangerRates.addressesPerNetwork) }
    }

    /// An IPv6 /48 may send as many requests as this many addresses.
    package static let addressesPerNetwork = 5
    /// The cost of `/metrics`, which is rendered for each request.
    static let metricsCost = 5
    /// The number of `connect` bytes that count as one request. A larger `connect` is parsed only if the address can
    /// pay for it, and a valid token refunds the cost.
    package static let connectBytesPerRequest = 4_096

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
    ///   - count: How many requests this one counts as.
    ///   - now: The time in milliseconds, from a clock shared by all loops.
    /// - Returns: Nil when the request may be answered; otherwise the milliseconds until then.
    package func charge(_ address: String?, _ count: Int = 1, now: Int64) -> Int64? {
        let blocks = AddressBlock.Pair(address)
        return state.withLock {
            $0.buckets.charge(
                blocks, count, addressRate: $0.limits.requests,
                networkRate: blocks.isIPv6 ? $0.limits.networkRate : nil, now: now)
        }
    }

    /// Refunds a charge when the caller turns out to be authenticated.
    package func refund(_ address: String?, _ count: Int) {
        let blocks = AddressBlock.Pair(address)
        state.withLock {
            $0.buckets.refund(
                blocks, count, addressRate: $0.limits.requests,
                networkRate: blocks.isIPv6 ? $0.limits.networkRate : nil)
        }
    }
}
