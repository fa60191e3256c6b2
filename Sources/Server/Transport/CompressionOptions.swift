import WebSocketCodec

/// permessage-deflate for chat connections. RFC 7692.
package struct CompressionOptions: Sendable, Equatable {
    /// When false, the extension is never accepted, not even by the bare echo.
    package var isOn = true
    /// The smallest message that is compressed, in bytes: below this, compression costs more than it saves.
    package var thresholdBytes = 512
    /// The largest message that is compressed, in bytes: compressing it must not hold up the loop's turn.
    package var largestBytes = 262_144
    /// From 1 (fastest) to 9 (smallest output).
    package var level = 1
    /// The LZ77 window as a power of two; an offer of a smaller one is declined. RFC 7692 §7.1.2.1.
    package var windowBits = 12

    package init() {}

    /// Chat messages are compressed once for all recipients, so all share one window size without context takeover.
    /// Without the client's context, an idle connection holds no zlib memory.
    var chatPolicy: DeflatePolicy? { isOn ? .shared(windowBits: windowBits) : nil }
    /// Conformance suites test every parameter.
    var echoPolicy: DeflatePolicy? { isOn ? .everything : nil }
}
