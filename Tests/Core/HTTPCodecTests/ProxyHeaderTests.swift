import HTTPCodec
import Testing

@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// Feeds the reader pieces of at most `size` bytes.
    ///
    /// - Returns: The reader's last result and the number of unread bytes.
    private static func read(_ bytes: [UInt8], pieces size: Int = .max) -> (ProxyHeaderReader.Outcome, rest: Int) {
        var reader = ProxyHeaderReader()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(min(size, reader.bytesNeeded))
            rest = rest.dropFirst(piece.count)
            let outcome = piece.withUnsafeBytes { reader.feed($0) }
            if outcome != .incomplete { return (outcome, rest.count) }
        }
        return (.incomplete, 0)
    }

    private static func block(_ command: UInt8, _ family: UInt8, _ body: [UInt8], announced: Int? = nil) -> [UInt8] {
        let count = announced ?? body.count
        return signature + [command, family, UInt8(count >> 8), UInt8(count & 255)] + body
    }

    private static let four: [UInt8] = [192, 0, 2, 1, 10, 0, 0, 1, 0, 80, 1, 187]
    private static let six = [UInt8](1...16) + [UInt8](1...16) + [0, 80, 1, 187]

    @Test(arguments: [1, 2, 3, 7, .max])
    func `a complete header is consumed to its last byte, however it is split`(size: Int) {
        let headers: [([UInt8], ProxyHeaderReader.Outcome)] = [
            (Array("PROXY TCP4 192.0.2.1 10.0.0.1 56324 443\r\n".utf8), .text("192.0.2.1")),
            (Array("PROXY TCP6 2001:db8::1 ::1 1 2\r\n".utf8), .text("2001:db8::1")),
            (Array("PROXY UNKNOWN\r\n".utf8), .text(nil)), (Array("PROXY UNKNOWN ffff:: x 1 2\r\n".utf8), .text(nil)),
            (Self.block(0x21, 0x11, Self.four), .binary([192, 0, 2, 1])),
            (Self.block(0x21, 0x21, Self.six), .binary([UInt8](1...16))),
            (Self.block(0x21, 0x11, Self.four + [4, 0, 1, 7]), .binary([192, 0, 2, 1])),
            (Self.block(0x20, 0x00, []), .binary(nil)), (Self.block(0x21, 0x00, []), .binary(nil)),
            (Self.block(0x21, 0x31, [UInt8](repeating: 1, count: 216)), .binary(nil)),
        ]
        for (header, outcome) in headers {
            #expect(Self.read(header + [22, 3, 1, 2, 0], pieces: size) == (outcome, 5))
            for count in 0..<header.count {
                #expect(Self.read(Array(header.prefix(count)), pieces: size).0 == .incomplete, "\(count)")
            }
        }
    }

    @Test func `an invalid header is refused immediately, and an incomplete one is limited in length`() {
        let wrong: [[UInt8]] = [
            Array("GET / HTTP/1.1\r\n".utf8), Array("PROXX TCP4".utf8), [22, 3, 1, 2, 0],
            Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n".utf8), Array("PROXY \r\n".utf8), Array("PROXY TCP4\r\n".utf8),
            Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n".utf8), Array("PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n".utf8),
            Array("PROXY TCP4  1.2.3.4 1.2.3.4 1 2\r\n".utf8),
            Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 120, count: 107),
            Self.block(0x11, 0x11, Self.four), Self.block(0x22, 0x11, Self.four), Self.block(0x21, 0x41, Self.four),
            Self.block(0x21, 0x11, Array(Self.four.dropLast())), Self.block(0x21, 0x21, Self.four),
            Self.block(0x21, 0x11, [], announced: 65_535),
            Array(Self.signature.dropLast()) + [0, 0x21, 0x11, 0, 0],
        ]
        for bytes in wrong { #expect(Self.read(bytes).0 == .malformed, "\(String(decoding: bytes, as: UTF8.self))") }
    }
}
