import Glibc

/// Walks over the frames of one segment's bytes.
struct SegmentScanner {
    /// How a segment's frames end.
    enum End: Equatable, Sendable {
        /// Closed in order: nothing is missing.
        case sealed
        /// Nothing but zeros follows the last frame, or nothing at all: the writer was stopped.
        case open
        /// Bytes that are no frame follow the last one, and nothing that was written after they were synced: what a crash
        /// left of a write that nobody was told of.
        ///
        /// A flipped bit in what was synced last looks the same and cannot be told from it.
        case torn(bytes: Int)
        /// What follows the last frame was synced and is not readable: something is damaged in the middle.
        case corrupt
    }

    struct Result: Equatable, Sendable {
        /// Where the frames end, the seal not counted.
        var end: Int
        /// The number that the next frame gets.
        var next: UInt64
        var kind: End
    }

    let header: FileHeader

    /// - Parameter body: Called with each frame's number and where its payload lies.
    func scan<Failure: Error>(
        _ bytes: [UInt8], _ body: (UInt64, Range<Int>) throws(Failure) -> Void
    ) throws(Failure) -> Result {
        let result = bytes.withUnsafeBytes { bytes in
            Swift.Result { () throws(Failure) in try scan(bytes, body) }
        }
        return try result.get()
    }

    private func scan<Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, _ body: (UInt64, Range<Int>) throws(Failure) -> Void
    ) throws(Failure) -> Result {
        var offset = FileHeader.size
        var next = header.number
        while let frame = FrameFormat.frame(at: offset, of: bytes, salt: header.salt), frame.sequence == next {
            if frame.payload.isEmpty { return Result(end: offset, next: next, kind: .sealed) }
            try body(next, frame.payload)
            offset = frame.payload.upperBound
            next &+= 1
        }
        return Result(end: offset, next: next, kind: end(bytes, after: offset, next))
    }

    private func end(_ bytes: UnsafeRawBufferPointer, after offset: Int, _ next: UInt64) -> End {
        guard let last = lastWritten(bytes, from: offset) else { return .open }
        // A crash may have kept the later pages of what was not synced and lost the earlier ones. Whatever was written
        // once the missing frame was synced says that it is damaged.
        for start in offset..<last {
            guard let claimed = FrameFormat.claimedSequence(at: start, of: bytes) else { break }
            // Every frame takes more than a byte, so a later one's number cannot be further away than its place.
            guard claimed >= next, claimed - next <= UInt64(start - offset) else { continue }
            guard let frame = FrameFormat.frame(at: start, of: bytes, salt: header.salt) else { continue }
            if frame.sequence - next > UInt64(frame.unsynced) { return .corrupt }
        }
        return .torn(bytes: last + 1 - offset)
    }

    /// The last byte that is not zero.
    ///
    /// Most of a segment is what was set aside for frames to come. A program that is built for debugging would look at its
    /// bytes for seconds, so they are compared in blocks by the C library.
    private func lastWritten(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> Int? {
        var end = bytes.count
        while end > offset {
            let block = bytes[max(offset, end - Self.zeros.count)..<end]
            let isEmpty = Self.zeros.withUnsafeBytes { zeros in
                guard let left = UnsafeRawBufferPointer(rebasing: block).baseAddress, let right = zeros.baseAddress
                else {
                    return true
                }
                return memcmp(left, right, block.count) == 0
            }
            if !isEmpty { return block.lastIndex { $0 != 0 } }
            end = block.startIndex
        }
        return nil
    }

    private static let zeros = [UInt8](repeating: 0, count: 4_096)
}
