import Glibc

/// The format of a frame, which stores all events of one command in a segment.
///
///     length: u32le | crc32: u32le | sequence: u64le | unsynced: u32le | payload: length bytes
///
/// The checksum covers the segment's salt and all fields except itself; in files of version 1, it is CRC-32C. Sequence
/// numbers increase by one from the segment's first. `unsynced` is the number of preceding frames that were not yet
/// synced when this one was written. All earlier frames were on disk by then, so an unreadable one among them is
/// damaged, not torn.
///
/// A frame without a payload is a *seal*, which marks the segment as complete. It has the number that the next frame
/// would have.
enum FrameFormat {
    static let headerSize = 20
    /// The maximum size of a payload in bytes.
    static let limit = 1 << 30

    struct Frame {
        var sequence: UInt64
        var unsynced: UInt32
        var payload: Range<Int>
    }

    /// - Throws: `EFBIG` for a payload that readers would refuse. This is a bug in the caller, but throwing keeps the
    ///   file readable and the process alive.
    static func append(
        _ payload: [UInt8], sequence: UInt64, unsynced: UInt32, salt: UInt64, to bytes: inout [UInt8],
        limit: Int = FrameFormat.limit
    ) throws(DiskError) {
        guard payload.count <= limit else {
            throw DiskError(operation: "append", path: "a frame of \(payload.count) bytes", code: EFBIG)
        }
        let start = bytes.count
        bytes.append(littleEndian: UInt32(payload.count))
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: unsynced)
        bytes.append(contentsOf: payload)
        bytes.withUnsafeMutableBytes { bytes in
            let frame = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let checksum = checksum(of: frame, salt, as: CRC32.self)
            bytes.storeBytes(of: checksum.littleEndian, toByteOffset: start + 4, as: UInt32.self)
        }
    }

    /// Returns the frame at an offset, with any sequence number.
    ///
    /// - Parameter header: The file's.
    /// - Returns: The frame; `nil` if there is no complete frame with a valid checksum.
    static func frame(at offset: Int, of bytes: UnsafeRawBufferPointer, in header: FileHeader) -> Frame? {
        guard offset >= 0, bytes.count - offset >= headerSize else { return nil }
        let length = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        guard length <= limit, bytes.count - offset - headerSize >= Int(length) else { return nil }
        let end = offset + headerSize + Int(length)
        let expected = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        let found =
            header.version == FileHeader.versions.lowerBound
            ? checksum(of: frame, header.salt, as: CRC32C.self) : checksum(of: frame, header.salt, as: CRC32.self)
        guard found == expected else { return nil }
        return Frame(
            sequence: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)),
            unsynced: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt32.self)),
            payload: offset + headerSize..<end)
    }

    /// Returns the payloads of the frames at the beginning of some bytes, with any sequence numbers, and where they end: at
    /// the first one that is damaged or incomplete.
    static func frames(in bytes: [UInt8], _ header: FileHeader) -> (payloads: [[UInt8]], end: Int) {
        var (payloads, end) = ([[UInt8]](), 0)
        while let frame = bytes.withUnsafeBytes({ frame(at: end, of: $0, in: header) }) {
            payloads.append(Array(bytes[frame.payload]))
            end = frame.payload.upperBound
        }
        return (payloads, end)
    }

    /// Returns the unverified size of the frame at the beginning of some bytes, header included; `nil` if it exceeds the
    /// limit.
    static func claimedSize(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= headerSize else { return nil }
        let length = Int(bytes.littleEndian(at: 0) as UInt32)
        return length <= limit ? headerSize + length : nil
    }

    /// Returns the unverified sequence number at an offset, used to decide whether computing the checksum is
    /// worthwhile.
    static func claimedSequence(at offset: Int, of bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard offset >= 0, bytes.count - offset >= headerSize else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    }

    /// - Parameter frame: The whole frame, including its header.
    private static func checksum<Sum: Checksum>(
        of frame: UnsafeRawBufferPointer, _ salt: UInt64, as type: Sum.Type
    ) -> UInt32 {
        var crc = Sum()
        crc.add(salt)
        crc.add(UnsafeRawBufferPointer(rebasing: frame[..<4]))
        crc.add(UnsafeRawBufferPointer(rebasing: frame[8...]))
        return crc.value
    }
}
