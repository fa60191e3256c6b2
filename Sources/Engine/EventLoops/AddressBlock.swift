/// A block of addresses that likely belongs to one party, used as a key for counting.
///
/// A party with one IPv6 address has at least the 2⁶⁴ addresses of its /64, and usually a /48 of 65,536 such blocks
/// (RFC 6177). IPv4 addresses are counted one by one, with the /24 as their network.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    /// The leading bits of the address, with those below the block zero; a hash if the text is not an address.
    private let prefix: UInt64
    /// Number of leading bits the block's addresses share; 0 to 2 if it is not an address.
    private let kind: UInt8

    /// Equal exactly for equal blocks.
    package var description: String { "\(kind):\(String(prefix, radix: 16))" }

    private init(_ prefix: UInt64, _ kind: UInt8) {
        self.prefix = prefix
        self.kind = kind
    }

    /// The block that surely belongs to one party, and the surrounding network.
    package struct Pair: Hashable, Sendable {
        /// An IPv4 address, or an IPv6 /64.
        package let own: AddressBlock
        /// An IPv4 /24, or an IPv6 /48.
        package let network: AddressBlock

        /// - Parameter address: Nil when unknown; all unknown addresses count as one party.
        package init(_ address: String?) {
            guard let address else {
                own = AddressBlock(0, 0)
                network = AddressBlock(1, 0)
                return
            }
            guard let bytes = IPAddress(address)?.bytes else {
                var hash: UInt64 = 0xCBF2_9CE4_8422_2325
                for byte in address.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
                own = AddressBlock(hash, 1)
                network = AddressBlock(hash, 2)
                return
            }
            let isShort = bytes.count == 4
            let first = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            own = AddressBlock(first, isShort ? 32 : 64)
            network = AddressBlock(isShort ? first & ~0xFF : first & ~0xFFFF, isShort ? 24 : 48)
        }

        /// Whether the network is known to be larger than one party's block.
        package var isIPv6: Bool { own.kind == 64 }
    }
}
