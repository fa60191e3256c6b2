/// Limits for one receiver. Each limit is checked before memory is allocated.
package struct WebSocketLimits: Hashable, Sendable {
    /// The maximum payload of a message in bytes, across all fragments.
    package var messageBytes: Int
    /// The maximum payload of one data frame in bytes; control frames are limited to 125. RFC 6455 §5.5.
    package var frameBytes: Int
    /// The maximum number of frames per message, including empty ones; at least 1.
    package var fragmentsPerMessage: Int

    package init(messageBytes: Int = 65_536, frameBytes: Int = 65_536, fragmentsPerMessage: Int = 1_024) {
        self.messageBytes = max(0, messageBytes)
        self.frameBytes = max(0, frameBytes)
        self.fragmentsPerMessage = max(1, fragmentsPerMessage)
    }

    /// Returns the payload in bytes that a frame or message may announce if `limit` applies to its inflated size.
    /// DEFLATE enlarges incompressible data by up to 1/8, when the fixed code needs nine bits for every byte.
    func payload(of limit: Int, isCompressed: Bool) -> Int {
        isCompressed && limit < .max / 2 ? limit + limit / 8 + 64 : limit
    }
}
