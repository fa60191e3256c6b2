import WebSocketCodec

/// permessage-deflate of chat connections. RFC 7692.
package struct CompressionOptions: Sendable, Equatable {
    /// False: the extension is never accepted, by the bare echo neither.
    package var isOn = true
    /// What a message must have at least to be compressed, in bytes: below, the time is worth more than the bytes.
    package var thresholdBytes = 512
    /// What one message may have at most. A turn of the loop has other things to do.
    package var largestBytes = 262_144
    /// From 1, the fastest, to 9, the smallest output.
    package var level = 1
    /// How far back a message may point, as a power of two; an offer of less than this is declined. RFC 7692 §7.1.2.1.
    package var windowBits = 12

    package init() {}

    /// Chat messages are compressed once for everybody, so all have the same window and no context; and without the
    /// client's context an idle connection holds none of zlib's memory.
    var chatPolicy: DeflatePolicy? { isOn ? .shared(windowBits: windowBits) : nil }
    /// Conformance suites want to see all of it.
    var echoPolicy: DeflatePolicy? { isOn ? .everything : nil }
}
