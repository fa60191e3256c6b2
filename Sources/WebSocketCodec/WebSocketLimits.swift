/// How much a peer may ask of one receiver. All checks happen before the memory is spent.
package struct WebSocketLimits: Hashable, Sendable {
    /// Payload bytes of a message, all fragments together.
    package var messageBytes: Int
    /// Payload bytes of one data frame; control frames have 125 of their own. RFC 6455 §5.5.
    package var frameBytes: Int
    /// Frames of one message, at least 1; empty ones count too.
    package var fragmentsPerMessage: Int

    package init(messageBytes: Int = 65_536, frameBytes: Int = 65_536, fragmentsPerMessage: Int = 1_024) {
        self.messageBytes = max(0, messageBytes)
        self.frameBytes = max(0, frameBytes)
        self.fragmentsPerMessage = max(1, fragmentsPerMessage)
    }

    /// What a frame or a message of compressed payload may announce where `limit` holds for the inflated one:
    /// DEFLATE makes what it cannot shrink larger, by 1/8 where each byte is written with the nine bits of the fixed code.
    func payload(of limit: Int, isCompressed: Bool) -> Int {
        isCompressed && limit < .max / 2 ? limit + limit / 8 + 64 : limit
    }
}
