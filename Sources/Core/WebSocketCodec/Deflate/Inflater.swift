import CZlib

/// Inflates one peer's compressed messages, in bounded steps. RFC 7692 §7.2.2.
///
/// zlib's state is allocated with the first compressed byte. It is freed at the end of the message unless messages may
/// refer to earlier ones.
///
/// Belongs to one receiver, and is used on its queue only.
final class Inflater: @unchecked Sendable {
    /// Bytes inflated between two checks.
    static let stepBytes = 16_384
    /// The tail that senders remove from each message. RFC 7692 §7.2.1.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let windowBits: Int
    private let keepsContext: Bool
    /// At a stable address, because zlib's state points back at it.
    private var stream: UnsafeMutablePointer<z_stream>?
    /// Whether any byte of the current message has arrived.
    private var hasBegun = false

    /// - Parameters:
    ///   - windowBits: The window to keep in memory between messages, 8–15 bits. Back references within a message are
    ///     not checked against it: zlib notices them only where its output happens to be cut.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    init(windowBits: Int, keepsContext: Bool) {
        // zlib compresses with 9 bits when 8 are negotiated. State freed with the message may use the largest window;
        // then the result does not depend on how the bytes are cut.
        self.windowBits = keepsContext ? min(max(windowBits, 9), 15) : 15
        self.keepsContext = keepsContext
    }

    deinit { releaseStream() }

    /// zlib's state and its window, in bytes.
    var heldBytes: Int { stream == nil ? 0 : Self.stateBytes + 1 << windowBits }

    /// Approximate memory of zlib's state without the window.
    private static let stateBytes = 8_192

    /// Inflates the next bytes of a message's payload.
    ///
    /// - Parameters:
    ///   - isLast: Whether they end the message.
    ///   - body: Called with inflated bytes, at most ``stepBytes`` at once; when it throws, nothing more is inflated.
    /// - Throws: What `body` throws, and `invalidCompressedData`; the inflater is unusable afterwards.
    func inflate(
        _ bytes: RawSpan, isLast: Bool, _ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        if !bytes.isEmpty {
            hasBegun = true
            try step(through: bytes, body)
        }
        guard isLast else { return }
        // Some senders encode an empty message without any byte; then the tail has nothing to end.
        if hasBegun { try end(body) }
        hasBegun = false
        if !keepsContext { releaseStream() }
    }

    private func end(_ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void) throws(ProtocolViolation) {
        try step(through: Self.tail.span.bytes, body)
        // 128 means that a block has just ended; values below 64 count unused bits of the last byte. Anything else was
        // cut off.
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
            // Output before an invalid bit is delivered first, however the bytes are cut.
            if produced > 0 { try body(UnsafeRawBufferPointer(rebasing: output[..<produced])) }
            switch code {
            case Z_OK: break
            // A block was marked as the last of its data; the message continues, and so does its window. RFC 7692
            // §7.2.3.4.
            case Z_STREAM_END: inflateResetKeep(stream)
            // All input is consumed and more is needed.
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
