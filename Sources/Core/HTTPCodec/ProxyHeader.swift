/// A parser for HAProxy's PROXY protocol header, which a load balancer sends at the start of a connection. Supports
/// version 1 (a line of text) and version 2 (binary).
///
/// Read at most ``bytesNeeded`` bytes at a time, so that no bytes after the header, which may be TLS, are consumed.
package struct ProxyHeaderReader: Sendable {
    package enum Outcome: Equatable, Sendable {
        case incomplete
        /// The client's address: 4 or 16 bytes in `binary`, a literal in `text`. Nil for the proxy's own connections
        /// (health checks), and for address families without IP addresses.
        case binary([UInt8]?)
        case text(String?)
        /// The header is invalid or too long; the connection is unusable.
        case malformed
    }

    /// The maximum length of a version 1 header in bytes, including the line ending.
    private static let longestLine = 107
    /// The maximum number of bytes accepted after the fixed part of a version 2 header. The protocol allows 65,535.
    package static let longestBlock = 4_096

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let linePrefix = Array("PROXY ".utf8)

    private var bytes: [UInt8] = []

    package init() {}

    /// The number of further bytes known to belong to the header; at least 1 while it is incomplete.
    package var bytesNeeded: Int {
        guard !bytes.isEmpty else { return Self.linePrefix.count }
        guard bytes.starts(with: Self.signature.prefix(bytes.count)) else {
            return max(1, Self.linePrefix.count - bytes.count)
        }
        if bytes.count < 16 { return 16 - bytes.count }
        return max(1, 16 + blockLength - bytes.count)
    }

    /// - Parameter piece: At most `bytesNeeded` bytes.
    package mutating func feed(_ piece: UnsafeRawBufferPointer) -> Outcome {
        bytes.append(contentsOf: piece)
        if bytes.starts(with: Self.signature.prefix(bytes.count)) { return binary() }
        guard bytes.starts(with: Self.linePrefix.prefix(bytes.count)) else { return .malformed }
        guard bytes.last == UInt8(ascii: "\n") else {
            return bytes.count < Self.longestLine ? .incomplete : .malformed
        }
        return line()
    }

    private func line() -> Outcome {
        guard bytes.suffix(2) == [UInt8(ascii: "\r"), UInt8(ascii: "\n")] else { return .malformed }
        let text = String(decoding: bytes.dropLast(2), as: UTF8.self)
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return .malformed }
        if parts[1] == "UNKNOWN" { return .text(nil) }
        guard parts.count == 6, parts[1] == "TCP4" || parts[1] == "TCP6", UInt16(parts[4]) != nil,
            UInt16(parts[5]) != nil
        else { return .malformed }
        return .text(String(parts[2]))
    }

    private var blockLength: Int { bytes.count < 16 ? 0 : Int(bytes[14]) << 8 | Int(bytes[15]) }

    private func binary() -> Outcome {
        guard bytes.count >= 16 else { return .incomplete }
        guard bytes[12] >> 4 == 2, blockLength <= Self.longestBlock else { return .malformed }
        guard bytes.count >= 16 + blockLength else { return .incomplete }
        let block = bytes[16...]
        switch (bytes[12] & 0xF, bytes[13] >> 4) {
        case (0, _): return .binary(nil)
        case (1, 1): return block.count >= 12 ? .binary(Array(block.prefix(4))) : .malformed
        case (1, 2): return block.count >= 36 ? .binary(Array(block.prefix(16))) : .malformed
        case (1, 0), (1, 3): return .binary(nil)
        default: return .malformed
        }
    }
}
