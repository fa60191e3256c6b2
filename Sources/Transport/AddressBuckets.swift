import EventLoops
import Gateway

/// What each address may do, and the network around it: one subscriber has 65,536 IPv6 /64.
struct AddressBuckets {
    /// Addresses and networks of which something is remembered; beyond it newcomers share buckets.
    static let bound = 100_000

    private var addresses = BucketTable<AddressBlock>(bound: bound)
    private var networks = BucketTable<AddressBlock>(bound: bound)

    var count: Int { addresses.count }

    /// - Parameters:
    ///   - ofNetwork: Nil where the network does not count.
    ///   - now: Milliseconds of one clock for all loops.
    /// - Returns: Nil when there were so many to take, or in how many milliseconds there are.
    mutating func take(
        _ blocks: AddressBlock.Pair, _ count: Int = 1, ofAddress: TokenBucket.Rate, ofNetwork: TokenBucket.Rate?,
        now: Int64
    ) -> Int64? {
        // The address first: one that is refused takes nothing from its neighbours. Then the network: one that has used up
        // its share fills no table with its addresses.
        if let wait = addresses.wait(blocks.own, count, ofAddress, now: now) { return wait }
        if let ofNetwork, let wait = networks.take(blocks.network, count, ofNetwork, now: now).wait { return wait }
        return addresses.take(blocks.own, count, ofAddress, now: now).wait
    }

    /// Puts back what was taken and not used.
    mutating func putBack(
        _ blocks: AddressBlock.Pair, _ count: Int, ofAddress: TokenBucket.Rate, ofNetwork: TokenBucket.Rate?
    ) {
        addresses.putBack(blocks.own, count, ofAddress)
        if let ofNetwork { networks.putBack(blocks.network, count, ofNetwork) }
    }
}
