import EventLoops
import Gateway

/// Token buckets per address and per surrounding network, because a single subscriber can have 65,536 IPv6 /64 blocks.
struct AddressBuckets {
    /// The maximum number of remembered addresses and networks; beyond this, new ones share buckets.
    static let bound = 100_000

    private var addresses = BucketTable<AddressBlock>(bound: bound)
    private var networks = BucketTable<AddressBlock>(bound: bound)

    var count: Int { addresses.count }

    /// - Parameters:
    ///   - networkRate: Nil when the network is not limited.
    ///   - now: The time in milliseconds, from a clock shared by all loops.
    /// - Returns: Nil when the tokens were taken; otherwise the milliseconds until enough are available.
    mutating func charge(
        _ blocks: AddressBlock.Pair, _ count: Int = 1, addressRate: TokenBucket.Rate, networkRate: TokenBucket.Rate?,
        now: Int64
    ) -> Int64? {
        // Check the address first, so that a refused address takes nothing from its neighbours. Check the network
        // second, so that a network without tokens cannot fill the table with its addresses.
        if let wait = addresses.wait(blocks.own, count, addressRate, now: now) { return wait }
        if let networkRate, let wait = networks.charge(blocks.network, count, networkRate, now: now).wait {
            return wait
        }
        return addresses.charge(blocks.own, count, addressRate, now: now).wait
    }

    /// Refunds tokens that were not used.
    mutating func refund(
        _ blocks: AddressBlock.Pair, _ count: Int, addressRate: TokenBucket.Rate, networkRate: TokenBucket.Rate?
    ) {
        addresses.refund(blocks.own, count, addressRate)
        if let networkRate { networks.refund(blocks.network, count, networkRate) }
    }
}
