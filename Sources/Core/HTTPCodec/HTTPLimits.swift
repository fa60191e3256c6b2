/// Limits on the messages a peer may send. All sizes are in bytes; the numbers are the status codes of refusals.
package struct HTTPLimits: Hashable, Sendable {
    /// The maximum size of a head: request or status line, fields and the empty line, including line endings. Trailers
    /// have a separate limit of the same size. Beyond it: 431.
    package var headBytes: Int
    /// The maximum number of field lines in a head, and separately in the trailers; at most 10,000. Beyond it: 431.
    package var fieldCount: Int
    /// The maximum length of the request line without its line ending. Beyond it: 414.
    package var requestLineBytes: Int
    /// The maximum size of a body's content, without chunk framing. Beyond it: 413.
    package var bodyBytes: Int
    /// The maximum length of a chunk's size and extensions, without the line ending. Beyond it: 400.
    package var chunkLineBytes: Int

    package init(
        headBytes: Int = 16_384, fieldCount: Int = 100, requestLineBytes: Int = 8_192, bodyBytes: Int = 1_048_576,
        chunkLineBytes: Int = 256
    ) {
        self.headBytes = max(0, headBytes)
        // HTTPFields traps at 65,535 fields.
        self.fieldCount = min(max(0, fieldCount), 10_000)
        self.requestLineBytes = max(0, requestLineBytes)
        self.bodyBytes = max(0, bodyBytes)
        self.chunkLineBytes = max(0, chunkLineBytes)
    }
}
