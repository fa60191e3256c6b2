import CZlib

/// Inflates the compressed messages of one peer, a bounded step at a time. RFC 7692 §7.2.2.
///
/// zlib's state is made with the first compressed byte and, unless the peer's messages build on each other, freed with
/// the message's last.
///
/// Belongs to one receiver, which makes a copy before it shares it, on whatever queue that is.
final class Inflater: @unchecked Sendable {
    /// What is inflated between two checks.
    static let stepBytes = 16_384
    /// What a sender cuts off the end of each message. RFC 7692 §7.2.1.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let windowBits: Int
    private let keepsContext: Bool
    /// zlib's state points back at its stream, which therefore stays where it is.
    private var stream: UnsafeMutablePointer<z_stream>?
    /// Whether the current message has had a byte.
    private var hasBegun = false

    /// - Parameters:
    ///   - windowBits: 8–15, for which memory is kept between messages. How far a message may point back into itself
    ///     is not checked: zlib sees it only where its output happens to be cut.
    ///   - keepsContext: Whether a message may point back into the ones before it.
    init(windowBits: Int, keepsContext: Bool) {
        // Compressors made with zlib use 9 bits where 8 are agreed on. What is freed with the message may be as large as
        // it can be; then no cut of the bytes makes a difference.
        self.windowBits = keepsContext ? min(max(windowBits, 9), 15) : 15
        self.keepsContext = keepsContext
    }

    deinit { forget() }

    /// One that goes on from here by itself.
    ///
    /// - Throws: When there is no memory.
    func copy() throws(ProtocolViolation) -> Inflater {
        let copy = Inflater(windowBits: windowBits, keepsContext: keepsContext)
        copy.hasBegun = hasBegun
        guard let stream else { return copy }
        let other = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        other.initialize(to: z_stream())
        guard inflateCopy(other, stream) == Z_OK else {
            other.deallocate()
            throw .invalidCompressedData
        }
        copy.stream = other
        return copy
    }

    /// Takes the next bytes of a message's payload.
    ///
    /// - Parameters:
    ///   - isLast: Whether the message ends with them.
    ///   - take: Given what came out, at most ``stepBytes`` at once; when it throws, nothing more is inflated.
    /// - Throws: What `take` throws, and `invalidCompressedData`; the inflater is of no use then.
    func inflate(
        _ bytes: RawSpan, isLast: Bool, _ take: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        if !bytes.isEmpty {
            hasBegun = true
            try step(through: bytes, take)
        }
        guard isLast else { return }
        // Without a byte there is nothing that the tail could end: some senders write an empty message so.
        if hasBegun { try end(take) }
        hasBegun = false
        if !keepsContext { forget() }
    }

    private func end(_ take: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void) throws(ProtocolViolation) {
        try step(through: Self.tail.span.bytes, take)
        // 128: a block has just ended; below 64: bits that are left of the last byte. Anything else was cut off.
        guard let stream, stream.pointee.data_type & (128 | 63) == 128 else { throw .invalidCompressedData }
    }

    private func step(
        through bytes: RawSpan, _ take: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        let stream = try opened()
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.stepBytes, alignment: 16)
        defer { output.deallocate() }
        try bytes.withUnsafeBytes { bytes throws(ProtocolViolation) in
            var rest = bytes
            while !rest.isEmpty {
                // zlib counts in 32 bits.
                let count = min(rest.count, 1 << 30)
                try step(stream, through: UnsafeRawBufferPointer(rebasing: rest[..<count]), output, take)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    private func step(
        _ stream: UnsafeMutablePointer<z_stream>, through bytes: UnsafeRawBufferPointer,
        _ output: UnsafeMutableRawBufferPointer,
        _ take: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(truncatingIfNeeded: bytes.count)
        repeat {
            stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(truncatingIfNeeded: output.count)
            let code = CZlib.inflate(stream, Z_SYNC_FLUSH)
            let produced = output.count - Int(stream.pointee.avail_out)
            // What came before a wrong bit counts before it, however the bytes are cut.
            if produced > 0 { try take(UnsafeRawBufferPointer(rebasing: output[..<produced])) }
            switch code {
            case Z_OK: break
            // A block was marked as the last of its data; the message goes on, and so does its window.
            // RFC 7692 §7.2.3.4.
            case Z_STREAM_END: inflateResetKeep(stream)
            // All is taken, and more wanted.
            case Z_BUF_ERROR where stream.pointee.avail_in == 0: break
            default: throw .invalidCompressedData
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    private func opened() throws(ProtocolViolation) -> UnsafeMutablePointer<z_stream> {
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

    private func forget() {
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
        self.stream = nil
    }
}
