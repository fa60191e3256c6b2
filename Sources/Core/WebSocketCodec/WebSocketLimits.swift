/// Limits for one receiver. All are checked before memory is allocated.
package struct WebSocketLimits: Hashable, Sendable {
    /// Payload bytes of a message, all fragments together.
    package var messageBytes: Int
    /// Payload bytes of one data frame; control frames are limited to 125. RFC 6455 §5.5.
    package var frameBytes: Int
    /// Frames of one message, at least 1, including empty ones.
    package var fragmentsPerMessage: Int

    package init(messageBytes: Int = 65_536, frameBytes: Int = 65_536, fragmentsPerMessage: Int = 1_024) {
        self.messageBytes = max(0, messageBytes)
        self.frameBytes = max(0, frameBytes)
        self.fragmentsPerMessage = max(1, fragmentsPerMessage)
    }

    /// The payload a frame or message may announce when `limit` applies to its inflated size. DEFLATE enlarges
    /// incompressible data by up to 1/8, when each byte takes nine bits of the fixed code.
    func payload(of limit: Int, isCompressed: Bool) -> Int {
        isCompressed && limit < .max / 2 ? limit + limit / 8 + 64 : limit
    }
}
