/// The header of a frame. RFC 6455 §5.2.
///
///     FIN: 1 bit | RSV1–3: 3 bits | opcode: 4 bits
///     MASK: 1 bit | length: 7 bits, 126 = 2 bytes follow, 127 = 8 bytes follow, big-endian
///     masking key: 4 bytes, only with MASK
package struct FrameHeader: Equatable, Sendable {
    /// Whether this is the last frame of its message.
    package var isFinal: Bool
    package var opcode: Opcode
    /// RSV1: whether the message that starts with this frame is compressed. RFC 7692 §6.
    package var isCompressed: Bool
    /// The length of the payload in bytes.
    package var payloadLength: Int
    /// The payload's masking key; nil for frames from a server.
    package var maskingKey: MaskingKey?

    static let rsv1: UInt8 = 0x40

    package init(
        isFinal: Bool, opcode: Opcode, isCompressed: Bool = false, payloadLength: Int, maskingKey: MaskingKey?
    ) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.isCompressed = isCompressed
        self.payloadLength = payloadLength
        self.maskingKey = maskingKey
    }

    /// Decodes a header from the start of `bytes`.
    ///
    /// Each rule is checked as soon as the necessary bytes have arrived, in order, so that the violation does not
    /// depend on how the bytes were split.
    ///
    /// - Parameters:
    ///   - payloadLimit: The largest payload a data frame may announce, in bytes.
    ///   - allowsCompression: Whether RSV1 may be set on the first frame of a message.
    /// - Returns: The header and its size, 2–14 bytes; nil if more bytes are needed.
    /// - Throws: The first violation found.
    package static func decode(
        _ bytes: RawSpan, as role: Role, payloadLimit: Int, allowsCompression: Bool = false
    ) throws(ProtocolViolation) -> (header: FrameHeader, size: Int)? {
        guard bytes.byteCount >= 1 else { return nil }
        let first = bytes.byte(at: 0)
        let opcode = try opcode(ofFirstByte: first, allowsCompression: allowsCompression)
        guard bytes.byteCount >= 2 else { return nil }
        let second = bytes.byte(at: 1)
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else { throw .wrongMasking }
        let shortLength = Int(second & 0x7F)
        if opcode.isControl, shortLength > 125 { throw .oversizedControlFrame(bytes: shortLength) }

        guard let (length, lengthSize) = try payloadLength(announcedBy: shortLength, in: bytes) else { return nil }
        if !opcode.isControl, length > payloadLimit { throw .frameTooBig(bytes: length, limit: payloadLimit) }

        var size = 2 + lengthSize
        var key: MaskingKey?
        if isMasked {
            guard bytes.byteCount >= size + 4 else { return nil }
            key = MaskingKey(
                bytes.byte(at: size), bytes.byte(at: size + 1), bytes.byte(at: size + 2), bytes.byte(at: size + 3))
            size += 4
        }
        let header = FrameHeader(
            isFinal: first & 0x80 != 0, opcode: opcode, isCompressed: first & rsv1 != 0, payloadLength: length,
            maskingKey: key)
        return (header, size)
    }

    /// Decodes the opcode and checks the rules that need only the first byte.
    static func opcode(
        ofFirstByte byte: UInt8, allowsCompression: Bool
    ) throws(ProtocolViolation) -> Opcode {
        guard byte & (allowsCompression ? 0x30 : 0x70) == 0 else { throw .reservedBits(byte) }
        guard let opcode = Opcode(rawValue: byte & 0x0F) else { throw .unknownOpcode(byte & 0x0F) }
        if byte & rsv1 != 0, opcode != .text, opcode != .binary { throw .reservedBits(byte) }
        if opcode.isControl, byte & 0x80 == 0 { throw .fragmentedControlFrame }
        return opcode
    }

    /// - Returns: The payload length and the size of the extended length field, in bytes; nil if more bytes are needed.
    private static func payloadLength(
        announcedBy shortLength: Int, in bytes: RawSpan
    ) throws(ProtocolViolation) -> (length: Int, size: Int)? {
        switch shortLength {
        case 126:
            guard bytes.byteCount >= 4 else { return nil }
            let length = Int(bytes.byte(at: 2)) << 8 | Int(bytes.byte(at: 3))
            guard length > 125 else { throw .nonMinimalLength }
            return (length, 2)
        case 127:
            guard bytes.byteCount >= 3 else { return nil }
            if bytes.byte(at: 2) & 0x80 != 0 { throw .lengthHighBitSet }
            guard bytes.byteCount >= 8 else { return nil }
            var length: UInt64 = 0
            for offset in 2..<8 { length = length << 8 | UInt64(bytes.byte(at: offset)) }
            guard length > 0 else { throw .nonMinimalLength }
            guard bytes.byteCount >= 10 else { return nil }
            for offset in 8..<10 { length = length << 8 | UInt64(bytes.byte(at: offset)) }
            return (Int(clamping: length), 8)
        default:
            return (shortLength, 0)
        }
    }
}

extension RawSpan {
    /// Returns the byte at an offset. The caller has checked that it is below `byteCount`.
    @inline(__always)
    fileprivate func byte(at offset: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}

/// The side of the connection that reads the bytes. Clients mask every frame, servers mask none. RFC 6455 §5.1.
package enum Role: Hashable, Sendable {
    case server
    case client
}

/// The type of a frame: the low four bits of its first byte. RFC 6455 §5.2.
package enum Opcode: UInt8, Hashable, Sendable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether this is close, ping or pong: at most 125 bytes, never fragmented, allowed between fragments. RFC 6455
    /// §5.5.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}
