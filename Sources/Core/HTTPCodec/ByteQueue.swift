/// Bytes read and not yet consumed, with a search for line ends.
///
/// However the input is cut, each byte is searched once and moved at most once.
struct ByteQueue: Sendable {
    /// An empty buffer larger than this is released, so that idle connections stay small.
    private static let keptCapacity = 4_096

    private var storage: [UInt8] = []
    private var start = 0
    /// No LF was found before this index; never less than `start`.
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

    /// Consumes the next line and its CRLF.
    ///
    /// The limit is checked before the content, so that a long line is the same violation whole and in pieces.
    ///
    /// - Parameters:
    ///   - limit: Bytes the line may have without its line end; a negative limit is always exceeded.
    ///   - tooLong: The error to throw when it is exceeded.
    /// - Returns: The line's range in the storage, without its line end; nil when it is incomplete.
    /// - Throws: `tooLong`, `bareLineFeed` or `bareCarriageReturn`.
    mutating func nextLine(limit: Int, orThrow tooLong: HTTPViolation) throws(HTTPViolation) -> Range<Int>? {
        guard let lineFeed = storage[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = storage.count
            // One byte over the limit may be the CR of the line end.
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

    /// Gives access to a line that ``nextLine(limit:orThrow:)`` found, until anything else is appended or removed.
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
