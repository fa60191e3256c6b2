/// An encoder for frames, the inverse of ``WebSocketReceiver``. RFC 6455 §5.2.
package enum FrameEncoder {
    /// The maximum length of a close frame's reason in bytes. RFC 6455 §5.5.
    package static let closeReasonLimit = 123

    /// Appends one frame.
    ///
    /// - Parameters:
    ///   - isFinal: False for every fragment except the last.
    ///   - isCompressed: Whether to set RSV1, for the first frame of a compressed message. RFC 7692 §6.
    ///   - payload: At most 125 bytes for a control frame, which must also be final; otherwise this traps.
    ///   - key: A new random key for a client, nil for a server.
    package static func append(
        _ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, payload: UnsafeRawBufferPointer,
        maskedBy key: MaskingKey? = nil, to bytes: inout [UInt8]
    ) {
        precondition(!opcode.isControl || (isFinal && payload.count <= 125), "a control frame is small and whole")
        let start = bytes.count
        // Reserve the exact size for a single frame only. In a batch, that would copy all frames each time.
        if start == 0 { bytes.reserveCapacity(max(payload.count + 14, bytes.capacity)) }
        bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? FrameHeader.rsv1 : 0) | opcode.rawValue)
        appendLength(payload.count, mask: key == nil ? 0 : 0x80, to: &bytes)
        if let key { bytes.append(contentsOf: key.bytes) }
        let payloadStart = bytes.count
        bytes.append(contentsOf: payload)
        if let key {
            bytes.withUnsafeMutableBytes { key.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[payloadStart...])) }
        }
    }

    /// Appends one frame with an array as its payload.
    package static func append(
        _ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, payload: [UInt8],
        maskedBy key: MaskingKey? = nil, to bytes: inout [UInt8]
    ) {
        payload.withUnsafeBytes {
            append(opcode, isFinal: isFinal, isCompressed: isCompressed, payload: $0, maskedBy: key, to: &bytes)
        }
    }

    /// Appends one frame with any collection as its payload, such as a string's `utf8` or a slice.
    package static func append(
        _ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, payload: some Collection<UInt8>,
        maskedBy key: MaskingKey? = nil, to bytes: inout [UInt8]
    ) {
        let wasContiguous: Void? = payload.withContiguousStorageIfAvailable {
            append(
                opcode, isFinal: isFinal, isCompressed: isCompressed, payload: UnsafeRawBufferPointer($0),
                maskedBy: key, to: &bytes)
        }
        if wasContiguous == nil {
            append(
                opcode, isFinal: isFinal, isCompressed: isCompressed, payload: Array(payload), maskedBy: key,
                to: &bytes)
        }
    }

    /// Encodes a close frame. RFC 6455 §5.5.1.
    ///
    /// - Parameters:
    ///   - code: A code that may be sent; any other code traps.
    ///   - reason: The reason, truncated after the last Unicode scalar that fits into 123 bytes.
    package static func close(
        _ code: CloseCode, reason: String = "", maskedBy key: MaskingKey? = nil
    ) -> [UInt8] {
        precondition(code.mayBeSent, "this close code must not be sent")
        var payload = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar)
            guard let encoded, payload.count + encoded.count <= closeReasonLimit + 2 else { break }
            payload.append(contentsOf: encoded)
        }
        var bytes: [UInt8] = []
        append(.close, payload: payload, maskedBy: key, to: &bytes)
        return bytes
    }

    private static func appendLength(_ length: Int, mask: UInt8, to bytes: inout [UInt8]) {
        switch length {
        case ...125:
            bytes.append(mask | UInt8(truncatingIfNeeded: length))
        case 126...0xFFFF:
            bytes.append(mask | 126)
            bytes.append(UInt8(truncatingIfNeeded: length >> 8))
            bytes.append(UInt8(truncatingIfNeeded: length))
        default:
            bytes.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: length >> shift))
            }
        }
    }
}

extension FrameEncoder {
    /// Encodes one whole, unmasked text frame, as a server sends it.
    package static func text(_ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(.text, payload: payload, to: &bytes)
        return bytes
    }
}
