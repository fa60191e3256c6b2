/// The sizes of a segment's frames, grouped into stretches of about 64 KiB, so that a million frames need only a few
/// kilobytes.
package struct FrameSizes: Sendable, Equatable {
    private struct Stretch: Sendable, Equatable {
        /// The number of the first frame.
        let first: UInt64
        var bytes: Int
    }

    private static let stretch = 65_536

    private var stretches: [Stretch] = []

    package init() {}

    mutating func add(_ number: UInt64, bytes: Int) {
        if let last = stretches.indices.last, stretches[last].bytes + bytes <= Self.stretch {
            stretches[last].bytes += bytes
        } else {
            stretches.append(Stretch(first: number, bytes: bytes))
        }
    }

    /// Walks backwards from the segment's end while whole stretches fit.
    ///
    /// - Parameters:
    ///   - bytes: The byte budget; reduced by the bytes used.
    ///   - next: The number after the segment's last frame.
    /// - Returns: The first frame that fits, or `next` if none does, and whether all frames fit.
    func first(ofLast bytes: inout Int, before next: UInt64) -> (frame: UInt64, isWhole: Bool) {
        var first = next
        for stretch in stretches.reversed() {
            guard stretch.bytes <= bytes else { return (first, false) }
            bytes -= stretch.bytes
            first = stretch.first
        }
        return (first, true)
    }
}

extension JournalReport {
    /// Returns the number of the oldest frame such that it and all later frames fit into a number of bytes; `next` if
    /// not even the last frame fits. Up to 64 KiB of the budget may remain unused.
    ///
    /// - Parameters:
    ///   - earliest: The lower bound of the result.
    ///   - sizes: Returns the frame sizes of a segment.
    func first<Failure: Error>(
        ofLast bytes: Int, from earliest: UInt64, sizes: (Segment) throws(Failure) -> FrameSizes
    ) throws(Failure) -> UInt64 {
        var (left, first) = (bytes, next)
        for segment in segments.reversed() where first > earliest {
            let (frame, isWhole) = try sizes(segment).first(ofLast: &left, before: segment.next)
            first = frame
            if !isWhole { break }
        }
        return max(first, earliest)
    }
}
