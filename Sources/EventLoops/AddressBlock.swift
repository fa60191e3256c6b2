/// Addresses that one party is likely to hold together, as a key to count by.
///
/// Who has one IPv6 address has at least the 2⁶⁴ of its /64, and mostly a /48 of 65,536 such (RFC 6177); IPv4 addresses are
/// single, and neighbours in a /24.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    /// The first bits of the address, those outside of the block zero; the hash of a text that is no address.
    private let prefix: UInt64
    /// How many bits the block's addresses share; 0 to 2 for what is no address.
    private let kind: UInt8

    /// Equal for equal blocks, and for no others.
    package var description: String { "\(kind):\(String(prefix, radix: 16))" }

    private init(_ prefix: UInt64, _ kind: UInt8) {
        self.prefix = prefix
        self.kind = kind
    }

    /// What one party certainly holds, and the network around it.
    package struct Pair: Hashable, Sendable {
        /// An IPv4 address, or an IPv6 /64.
        package let own: AddressBlock
        /// An IPv4 /24, or an IPv6 /48.
        package let network: AddressBlock

        /// - Parameter address: Nil where it is not known: all of these are one party.
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
