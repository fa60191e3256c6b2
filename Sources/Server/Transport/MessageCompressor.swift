import MetricTable
import Metrics
import WebSocketCodec
import WireProtocol

/// permessage-deflate for chat connections. RFC 7692.
package struct CompressionOptions: Sendable, Equatable {
    /// If false, the server never accepts the extension, not even for the bare echo.
    package var isOn = true
    /// The smallest message to compress, in bytes. Below this, compression costs more than it saves.
    package var thresholdBytes = 512
    /// The largest message to compress, in bytes. Larger ones would delay the loop's turn.
    package var largestBytes = 262_144
    /// From 1 (fastest) to 9 (smallest output).
    package var level = 1
    /// The LZ77 window as a power of two. An offer of a smaller window is declined. RFC 7692 §7.1.2.1.
    package var windowBits = 12

    package init() {}

    /// Chat messages are compressed once for all recipients, so all share one window size without context takeover.
    /// With no client context either, an idle connection holds no zlib memory.
    var chatPolicy: DeflatePolicy? { isOn ? .shared(windowBits: windowBits) : nil }
    /// Conformance suites test every parameter.
    var echoPolicy: DeflatePolicy? { isOn ? .everything : nil }
}

/// Compresses a loop's outgoing messages, each once for all connections that negotiated the extension.
///
/// Each message is compressed on its own, so the same frame is valid for everyone. RFC 7692 §7.1.1.1.
///
/// Confined to its loop.
package final class MessageCompressor {
    /// The maximum size of a joined message in bytes. Envelopes of one batch are joined before compression, so that
    /// repeated content compresses.
    package static let joinedBytes = 65_536

    private let options: CompressionOptions
    private let metrics: CompressionMetrics
    /// Created for the first message and kept for the lifetime of the loop.
    private lazy var deflater = Deflater(
        windowBits: options.windowBits, level: options.level, memoryLevel: 5, keepsContext: false)

    package init(_ options: CompressionOptions, metrics: CompressionMetrics) {
        self.options = options
        self.metrics = metrics
    }

    /// Returns one envelope as a frame, compressed if that makes it smaller.
    package func frame(_ envelope: [UInt8], _ form: WireForm) -> [UInt8] {
        compressed(envelope, form) ?? form.frame(envelope)
    }

    /// Returns the same messages as frames, compressed where that makes them smaller.
    ///
    /// The client protocol lets adjacent envelopes share a message. JSON separates them with newlines; Protobuf needs
    /// no separator, because each has a length prefix.
    ///
    /// - Parameter frames: Whole unmasked frames of the form, as this server writes them.
    /// - Returns: Nil when compression made nothing smaller.
    package func frames(_ frames: [UInt8], _ form: WireForm) -> [UInt8]? {
        guard frames.count >= options.thresholdBytes else { return nil }
        var smaller: [UInt8] = []
        var isSmaller = false
        var joined: [UInt8] = []
        // Where the frames being joined begin.
        var start = 0
        var offset = 0
        func close() {
            let replacement = compressed(joined, form)
            isSmaller = isSmaller || replacement != nil
            if let replacement { smaller += replacement } else { smaller += frames[start..<offset] }
            joined.removeAll(keepingCapacity: true)
            start = offset
        }
        while offset < frames.count {
            guard let payload = Self.payload(ofFrameAt: offset, in: frames, form) else { return nil }
            if !joined.isEmpty, joined.count + payload.count >= Self.joinedBytes { close() }
            if !joined.isEmpty { joined += form.separator }
            joined += frames[payload]
            offset = payload.upperBound
        }
        close()
        return isSmaller ? smaller : nil
    }

    private func compressed(_ message: [UInt8], _ form: WireForm) -> [UInt8]? {
        guard message.count >= options.thresholdBytes, message.count <= options.largestBytes,
            let payload = deflater?.deflate(message)
        else { return nil }
        metrics.bytesIn.increment(by: Int64(message.count))
        metrics.bytesOut.increment(by: Int64(min(payload.count, message.count)))
        guard payload.count < message.count else { return nil }
        var frame: [UInt8] = []
        FrameEncoder.append(form.opcode, isCompressed: true, payload: payload, to: &frame)
        return frame
    }

    /// - Returns: Nil unless the offset is the start of a whole uncompressed frame of the form.
    private static func payload(ofFrameAt offset: Int, in frames: [UInt8], _ form: WireForm) -> Range<Int>? {
        let rest = frames.span.bytes.extracting(droppingFirst: offset)
        guard let (header, size) = try? FrameHeader.decode(rest, as: .client, payloadLimit: frames.count),
            header.opcode == form.opcode, header.isFinal, header.payloadLength <= rest.byteCount - size
        else { return nil }
        return offset + size..<offset + size + header.payloadLength
    }
}

/// The cost and benefit of compression.
package struct CompressionMetrics: Sendable {
    /// Open connections that negotiated it.
    let connections: Meter
    /// Bytes of messages before and after compression, counting each message once for all recipients.
    let bytesIn: Counter
    let bytesOut: Counter
    /// Connections closed because of invalid compressed data from the peer.
    let refusals: Counter

    package init(_ factory: any MetricsFactory) {
        connections = Meter(.compressedConnections, factory)
        bytesIn = Counter(.deflateBytesIn, factory)
        bytesOut = Counter(.deflateBytesOut, factory)
        refusals = Counter(.inflateRefusals, factory)
    }
}
