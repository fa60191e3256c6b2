/// A queue of bytes that were read but not yet consumed, with a search for line endings.
///
/// However the input is split, each byte is searched once and moved at most once.
struct ByteQueue: Sendable {
    /// The capacity in bytes above which an empty buffer is released, so that idle connections stay small.
    private static let keptCapacity = 4_096

    private var storage: [UInt8] = []
    private var start = 0
    /// The index before which there is no LF; never less than `start`.
    private var searched = 0

    var count: Int { storage.count - start }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0, start >= count {
            storage.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        storage.append(contentsOf: bytes)
    }

    /// Removes and returns at most `limit` bytes from the front.
    mutating func removeFirst(atMost limit: Int) -> [UInt8] {
        let removed = Array(storage[start..<start + min(limit, count)])
        start += removed.count
        searched = max(searched, start)
        releaseWhenEmpty()
        return removed
    }

    mutating func removeAll() -> [UInt8] {
        removeFirst(atMost: count)
    }

    /// Consumes the next line, including its CRLF.
    ///
    /// The limit is checked before the content, so that a long line causes the same error even if it arrives in pieces.
    ///
    /// - Parameters:
    ///   - limit: The maximum length in bytes without the line ending; a negative limit is always exceeded.
    ///   - tooLong: The error to throw if the limit is exceeded.
    /// - Returns: The line's range in the storage, without the line ending; nil if the line is incomplete.
    /// - Throws: `tooLong`, `bareLineFeed` or `bareCarriageReturn`.
    mutating func nextLine(limit: Int, orThrow tooLong: HTTPViolation) throws(HTTPViolation) -> Range<Int>? {
        guard let lineFeed = storage[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = storage.count
            // One byte over the limit may be the CR of the line ending.
            guard count - 1 <= limit else { throw tooLong }
            return nil
        }
        let hasReturn = lineFeed > start && storage[lineFeed - 1] == UInt8(ascii: "\r")
        let line = start..<(hasReturn ? lineFeed - 1 : lineFeed)
        guard line.count <= limit else { throw tooLong }
        guard hasReturn else { throw .bareLineFeed }
        guard !storage[line].contains(UInt8(ascii: "\r")) else { throw .bareCarriageReturn }
        start = lineFeed + 1
        searched = start
        return line
    }

    /// Calls `body` with a line found by ``nextLine(limit:orThrow:)``. The range is valid until bytes are appended or
    /// removed.
    func withLine<Result>(
        _ line: Range<Int>, _ body: (Span<UInt8>) throws(HTTPViolation) -> Result
    ) throws(HTTPViolation) -> Result {
        try body(storage.span.extracting(line))
    }

    private mutating func releaseWhenEmpty() {
        guard start == storage.count else { return }
        start = 0
        searched = 0
        if storage.capacity > Self.keptCapacity {
            storage = []
        } else {
            storage.removeAll(keepingCapacity: true)
        }
    }
}
