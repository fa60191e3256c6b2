import Glibc

/// A scanner for the frames of a segment.
struct SegmentScanner {
    /// The way a segment's frames end.
    enum End: Equatable, Sendable {
        /// The segment was closed cleanly and is complete.
        case sealed
        /// Only zeros or nothing follow the last frame: the writer was stopped.
        case open
        /// Bytes that are not a frame follow the last frame, and no frame proves that they were ever synced. They are
        /// the remains of a write that a crash interrupted before it was acknowledged.
        ///
        /// A flipped bit in the last synced frame cannot be distinguished from this.
        case torn(bytes: Int)
        /// A synced frame is unreadable: the segment is damaged.
        case corrupt
    }

    struct Result: Equatable, Sendable {
        /// The end of the last frame, not counting a seal.
        var end: Int
        /// The number of the next frame.
        var next: UInt64
        var kind: End
    }

    let header: FileHeader

    /// - Parameter body: Called with each frame's number and the range of its payload.
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
        while let frame = FrameFormat.frame(at: offset, of: bytes, in: header), frame.sequence == next {
            if frame.payload.isEmpty { return Result(end: offset, next: next, kind: .sealed) }
            try body(next, frame.payload)
            offset = frame.payload.upperBound
            next &+= 1
        }
        return Result(end: offset, next: next, kind: end(bytes, after: offset, next))
    }

    private func end(_ bytes: UnsafeRawBufferPointer, after offset: Int, _ next: UInt64) -> End {
        guard let last = lastWritten(bytes, from: offset) else { return .open }
        // After a crash, later pages of an unsynced write may be on disk while earlier ones are missing. But a frame
        // that was written after the missing one was synced proves damage.
        for start in offset..<last {
            guard let claimed = FrameFormat.claimedSequence(at: start, of: bytes) else { break }
            // Every frame is longer than one byte, so a later frame cannot be more numbers away than bytes.
            guard claimed >= next, claimed - next <= UInt64(start - offset) else { continue }
            guard let frame = FrameFormat.frame(at: start, of: bytes, in: header) else { continue }
            if frame.sequence - next > UInt64(frame.unsynced) { return .corrupt }
        }
        return .torn(bytes: last + 1 - offset)
    }

    /// Returns the index of the last non-zero byte.
    ///
    /// Most of a segment is preallocated space. Checking its bytes in a debug build would take seconds, so the C
    /// library compares them in blocks.
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
