import Testing
import WebSocketCodec

@Suite struct FrameHeaderTests {
    private func decode(
        _ bytes: [UInt8], as role: Role = .server, payloadLimit: Int = .max
    ) throws(ProtocolViolation) -> (header: FrameHeader, size: Int)? {
        try FrameHeader.decode(bytes.span.bytes, as: role, payloadLimit: payloadLimit)
    }

    @Test(
        arguments: [
            ([0x82, 0x80], 0, 6), ([0x82, 0x80 | 125], 125, 6), ([0x82, 0xFE, 0, 126], 126, 8),
            ([0x82, 0xFE, 0xFF, 0xFF], 65_535, 8), ([0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0], 65_536, 14),
            ([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], Int.max, 14),
        ] as [([UInt8], Int, Int)])
    func `a length is read in each of its three forms`(bytes: [UInt8], length: Int, size: Int) throws {
        let decoded = try #require(try decode(bytes + [1, 2, 3, 4]))
        #expect(decoded.size == size)
        #expect(
            decoded.header
                == FrameHeader(
                    isFinal: true, opcode: .binary, payloadLength: length, maskingKey: MaskingKey(1, 2, 3, 4)))
        for end in 0..<size { #expect(try decode(Array((bytes + [1, 2, 3, 4]).prefix(end))) == nil) }
    }

    @Test(
        arguments: [
            ([0x91, 0x80], .reservedBits(0x91)), ([0xA1], .reservedBits(0xA1)), ([0xC1], .reservedBits(0xC1)),
            ([0x40], .reservedBits(0x40)), ([0xC9], .reservedBits(0xC9)), ([0x98], .reservedBits(0x98)),
            ([0x83], .unknownOpcode(3)), ([0x87], .unknownOpcode(7)), ([0x8B], .unknownOpcode(11)),
            ([0x8F], .unknownOpcode(15)), ([0x03], .unknownOpcode(3)),
            ([0x81, 0x05], .wrongMasking), ([0x88, 0x00], .wrongMasking),
            ([0x08], .fragmentedControlFrame), ([0x09], .fragmentedControlFrame), ([0x0A], .fragmentedControlFrame),
            ([0x89, 0xFE], .oversizedControlFrame(bytes: 126)), ([0x88, 0xFF], .oversizedControlFrame(bytes: 127)),
            ([0x81, 0xFE, 0, 0], .nonMinimalLength), ([0x81, 0xFE, 0, 125], .nonMinimalLength),
            ([0x81, 0xFF, 0, 0, 0, 0, 0, 0], .nonMinimalLength),
            ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .nonMinimalLength),
            ([0x81, 0xFF, 0x80], .lengthHighBitSet), ([0x81, 0xFF, 0xFF], .lengthHighBitSet),
            ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .lengthHighBitSet),
            ([0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .lengthHighBitSet),
        ] as [([UInt8], ProtocolViolation)])
    func `a malformed header is refused with the rule it breaks`(bytes: [UInt8], violation: ProtocolViolation) {
        #expect(throws: violation) { try decode(bytes) }
        #expect(throws: violation) { try decode(bytes + [UInt8](repeating: 0, count: 14)) }
    }

    @Test func `a server refuses unmasked frames, and a client masked ones`() throws {
        #expect(try decode([0x81, 0x00], as: .client)?.header.maskingKey == nil)
        #expect(try decode([0x81, 0x00], as: .client)?.size == 2)
        #expect(throws: ProtocolViolation.wrongMasking) { try decode([0x81, 0x80], as: .client) }
        #expect(throws: ProtocolViolation.wrongMasking) { try decode([0x81, 0x00], as: .server) }
    }

    @Test func `a data frame one byte over the limit is refused, and no control frame is`() throws {
        #expect(try decode([0x81, 10], as: .client, payloadLimit: 10)?.header.payloadLength == 10)
        #expect(throws: ProtocolViolation.frameTooBig(bytes: 11, limit: 10)) {
            try decode([0x81, 11], as: .client, payloadLimit: 10)
        }
        #expect(try decode([0x89, 125], as: .client, payloadLimit: 10)?.header.payloadLength == 125)
    }

    @Test(arguments: [UInt64](arrayLiteral: (1 << 63) - 1, 1 << 30))
    func `a giant frame is refused from its header, before the masking key`(length: UInt64) {
        let lengthBytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
        #expect(throws: ProtocolViolation.frameTooBig(bytes: Int(length), limit: 65_536)) {
            try decode([0x82, 0xFF] + lengthBytes, payloadLimit: 65_536)
        }
    }

    @Test func `each pair of first bytes is a header, incomplete or a violation, however it is split`() {
        for first in UInt8.min ... .max {
            for second in UInt8.min ... .max {
                let bytes = [first, second, 0, 200, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
                for role in [Role.server, .client] {
                    let whole = Result { () throws(ProtocolViolation) in try decode(bytes, as: role)?.header }
                    for end in 0..<bytes.count {
                        let part = Result { () throws(ProtocolViolation) in
                            try decode(Array(bytes.prefix(end)), as: role)?.header
                        }
                        if case .success(nil) = part { continue }
                        guard part == whole else {
                            Issue.record("\(bytes) cut at \(end), \(role)")
                            return
                        }
                    }
                }
            }
        }
    }
}
