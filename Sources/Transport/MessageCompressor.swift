import WebSocketCodec
import WireProtocol

/// Compresses what a loop sends, for all the connections at once that have agreed to the extension.
///
/// Each message is compressed by itself, so the same frame is right for everybody. RFC 7692 §7.1.1.1.
///
/// Confined to its loop's queue.
package final class MessageCompressor {
    /// Envelopes of one batch share a message up to this many bytes: what they have in common is said once.
    package static let joinedBytes = 65_536

    private let options: CompressionOptions
    private let metrics: CompressionMetrics
    /// Made for the first message, and kept for as long as the loop lives.
    private lazy var deflater = Deflater(
        windowBits: options.windowBits, level: options.level, memoryLevel: 5, keepsContext: false)

    package init(_ options: CompressionOptions, metrics: CompressionMetrics) {
        self.options = options
        self.metrics = metrics
    }

    /// One envelope as a frame, compressed where that makes it smaller.
    package func frame(_ envelope: [UInt8], _ form: WireForm) -> [UInt8] {
        compressed(envelope, form) ?? form.frame(envelope)
    }

    /// The same messages as frames that are compressed where that makes them smaller.
    ///
    /// Envelopes that stand side by side may come in one message, as the client protocol has it: separated by newlines, and
    /// in the Protobuf form by nothing, since each has its length in front.
    ///
    /// - Parameter frames: Whole unmasked frames of the form, as this server writes them.
    /// - Returns: Nil when nothing becomes smaller.
    package func frames(_ frames: [UInt8], _ form: WireForm) -> [UInt8]? {
        guard frames.count >= options.thresholdBytes else { return nil }
        var smaller: [UInt8] = []
        var isSmaller = false
        var joined: [UInt8] = []
        // Where the frames that are joined begin.
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

    /// - Returns: Nil for what is not a whole frame of the form without compression.
    private static func payload(ofFrameAt offset: Int, in frames: [UInt8], _ form: WireForm) -> Range<Int>? {
        let rest = frames.span.bytes.extracting(droppingFirst: offset)
        guard let (header, size) = try? FrameHeader.decode(rest, as: .client, payloadLimit: frames.count),
            header.opcode == form.opcode, header.isFinal, header.payloadLength <= rest.byteCount - size
        else { return nil }
        return offset + size..<offset + size + header.payloadLength
    }
}
