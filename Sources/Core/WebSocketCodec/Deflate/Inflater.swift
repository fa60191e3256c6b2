import CZlib

/// A decompressor for one peer's messages that works in bounded steps. RFC 7692 §7.2.2.
///
/// zlib's state is allocated for the first compressed byte. It is freed at the end of the message, unless messages may
/// refer to earlier ones.
///
/// Belongs to one receiver and is used only on its queue.
final class Inflater: @unchecked Sendable {
    /// The maximum number of bytes inflated per step.
    static let stepBytes = 16_384
    /// The tail that senders remove from every message. RFC 7692 §7.2.1.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let windowBits: Int
    private let keepsContext: Bool
    /// zlib's stream, at a stable address because zlib's internal state points to it.
    private var stream: UnsafeMutablePointer<z_stream>?
    /// Whether any byte of the current message has arrived.
    private var hasBegun = false

    /// - Parameters:
    ///   - windowBits: The window kept between messages, 8–15 bits. Longer back references within a message are not
    ///     reliably detected: zlib notices them only at the end of an output buffer.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    init(windowBits: Int, keepsContext: Bool) {
        // zlib compresses with 9 bits if 8 are negotiated. If the state is freed after each message, use the largest
        // window, so that the result does not depend on how the bytes are split.
        self.windowBits = keepsContext ? min(max(windowBits, 9), 15) : 15
        self.keepsContext = keepsContext
    }

    deinit { releaseStream() }

    /// The memory used by zlib's state and window, in bytes; 0 if not allocated.
    var heldBytes: Int { stream == nil ? 0 : Self.stateBytes + 1 << windowBits }

    /// The approximate size of zlib's state without the window, in bytes.
    private static let stateBytes = 8_192

    /// Inflates the next bytes of a message's payload.
    ///
    /// - Parameters:
    ///   - isLast: Whether the bytes end the message.
    ///   - body: Called with inflated bytes, at most ``stepBytes`` per call. If it throws, inflation stops.
    /// - Throws: `invalidCompressedData`, or the error thrown by `body`; the inflater is then unusable.
    func inflate(
        _ bytes: RawSpan, isLast: Bool, _ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        if !bytes.isEmpty {
            hasBegun = true
            try step(through: bytes, body)
        }
        guard isLast else { return }
        // Some senders encode an empty message without any bytes; the tail then has nothing to end.
        if hasBegun { try end(body) }
        hasBegun = false
        if !keepsContext { releaseStream() }
    }

    private func end(_ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void) throws(ProtocolViolation) {
        try step(through: Self.tail.span.bytes, body)
        // In `data_type`, 128 means that a block has just ended, and the low six bits count unused bits of the last
        // byte. Any other value means that the data is truncated.
        guard let stream, stream.pointee.data_type & (128 | 63) == 128 else { throw .invalidCompressedData }
    }

    private func step(
        through bytes: RawSpan, _ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        let stream = try openStream()
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.stepBytes, alignment: 16)
        defer { output.deallocate() }
        try bytes.withUnsafeBytes { bytes throws(ProtocolViolation) in
            var rest = bytes
            while !rest.isEmpty {
                // zlib's counters have 32 bits.
                let count = min(rest.count, 1 << 30)
                try step(stream, through: UnsafeRawBufferPointer(rebasing: rest[..<count]), output, body)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    private func step(
        _ stream: UnsafeMutablePointer<z_stream>, through bytes: UnsafeRawBufferPointer,
        _ output: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(truncatingIfNeeded: bytes.count)
        repeat {
            stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(truncatingIfNeeded: output.count)
            let code = CZlib.inflate(stream, Z_SYNC_FLUSH)
            let produced = output.count - Int(stream.pointee.avail_out)
            // Deliver the output before an invalid bit first, however the bytes are split.
            if produced > 0 { try body(UnsafeRawBufferPointer(rebasing: output[..<produced])) }
            switch code {
            case Z_OK: break
            // The block was marked as final, but the message continues, and so does its window. RFC 7692 §7.2.3.4.
            case Z_STREAM_END: inflateResetKeep(stream)
            // All input is consumed.
            case Z_BUF_ERROR where stream.pointee.avail_in == 0: break
            default: throw .invalidCompressedData
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    private func openStream() throws(ProtocolViolation) -> UnsafeMutablePointer<z_stream> {
        if let stream { return stream }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard belfry_inflate_open(stream, Int32(truncatingIfNeeded: windowBits)) == Z_OK else {
            stream.deallocate()
            throw .invalidCompressedData
        }
        self.stream = stream
        return stream
    }

    private func releaseStream() {
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
        self.stream = nil
    }
}
