import Glibc

/// A numeric address, IPv4 or IPv6.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes, in network order. IPv4-mapped IPv6 (`::ffff:192.0.2.1`) is stored as IPv4.
    package let bytes: [UInt8]

    /// - Parameter bytes: 4 or 16 bytes; otherwise the result is nil.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : Array(bytes)
    }

    /// - Parameter text: A literal without port, brackets or zone.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count < Int(INET6_ADDRSTRLEN), !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// `127.0.0.0/8` and `::1`: reachable from this machine only. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// The shortest spelling. RFC 5952.
    package var description: String {
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress,
                inet_ntop(family, bytes, base, socklen_t(buffer.count)) != nil
            else { return "" }
            return String(cString: base)
        }
    }
}

/// Addresses with a common prefix: `10.0.0.0/8`, `2001:db8::/32`, or one address. RFC 4632, RFC 4291 §2.3.
package struct IPRange: Hashable, Sendable {
    private let bytes: [UInt8]
    private let prefixBits: Int

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = IPAddress(parts[0]) else { return nil }
        bytes = address.bytes
        guard parts.count == 2 else {
            prefixBits = bytes.count * 8
            return
        }
        guard parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let bits = Int(parts[1]), bits <= bytes.count * 8
        else { return nil }
        prefixBits = bits
    }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        let whole = prefixBits / 8
        guard address.bytes.prefix(whole) == bytes.prefix(whole) else { return false }
        let rest = prefixBits % 8
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }
}
