/// Parses a server's frames (RFC 6455, section 5.2): unfragmented messages only, as suffices for measuring.
public struct FrameReader: ~Copyable {
    public enum Failure: Error, Equatable {
        /// Servers must not mask (section 5.1).
        case masked
        /// A fragment or a reserved bit, which no extension has been negotiated for.
        case unexpected(firstByte: UInt8)
        /// A payload longer than `limit`.
        case tooLong(UInt64)
    }

    /// The longest payload that is accepted, in bytes.
    public static let limit: UInt64 = 1 << 22

    private var buffer: [UInt8] = []
    private var start = 0

    public init() {}

    /// - Parameter body: Receives the opcode and the payload of every complete frame; the payload is valid during the
    ///   call.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ body: (_ opcode: UInt8, _ payload: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // Most reads end at a frame boundary, and nothing needs to be copied.
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
            let parsed = try Self.frames(in: bytes, body)
            buffer.append(contentsOf: bytes[parsed...])
        } else {
            buffer.append(contentsOf: bytes)
            start += try buffer.withUnsafeBytes { all in
                try Self.frames(in: UnsafeRawBufferPointer(rebasing: all[start...]), body)
            }
            if start > 1 << 16 {
                buffer.removeFirst(start)
                start = 0
            }
        }
    }

    /// - Returns: The size of the complete frames.
    private static func frames(
        in bytes: UnsafeRawBufferPointer, _ body: (UInt8, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var position = 0
        while let (header, length) = try header(of: bytes, at: position), bytes.count - position - header >= length {
            let payload = bytes[(position + header)..<(position + header + length)]
            try body(bytes[position] & 0x0F, UnsafeRawBufferPointer(rebasing: payload))
            position += header + length
        }
        return position
    }

    /// - Returns: The sizes of the header and the payload; nil while the header is incomplete.
    private static func header(of bytes: UnsafeRawBufferPointer, at start: Int) throws -> (Int, Int)? {
        guard bytes.count - start >= 2 else { return nil }
        guard bytes[start] & 0xF0 == 0x80, bytes[start] & 0x0F != 0 else {
            throw Failure.unexpected(firstByte: bytes[start])
        }
        guard bytes[start + 1] & 0x80 == 0 else { throw Failure.masked }
        let short = Int(bytes[start + 1])
        let extended = short == 126 ? 2 : short == 127 ? 8 : 0
        guard extended > 0 else { return (2, short) }
        guard bytes.count - start >= 2 + extended else { return nil }
        let length = bytes[(start + 2)..<(start + 2 + extended)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= limit else { throw Failure.tooLong(length) }
        return (2 + extended, Int(length))
    }
}
