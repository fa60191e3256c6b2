/// Sets how long a channel keeps its messages (`PR4`). For server keys.
///
/// Older messages are removed for everyone: from lists, counts, search and storage. Nothing announces this; a channel's
/// `first_offset` tells where its history begins.
public struct SetRetention: Request {
    /// The response to `channel.set_retention`.
    public struct Response: Codable, Hashable, Sendable {
        /// The channel.
        public var channelID: ChannelID
        /// The age in seconds from which its messages are removed; 0 for no limit, absent for the app's setting.
        public var maxAgeSeconds: Int?
        /// The number of its newest messages that are kept; 0 for no limit, absent for the app's setting.
        public var maxMessages: Int?
        /// The offset from which messages are kept; absent unless older ones were removed.
        public var firstOffset: UInt64?

        /// Creates a response from its fields.
        public init(channelID: ChannelID, maxAgeSeconds: Int?, maxMessages: Int?, firstOffset: UInt64?) {
            self.channelID = channelID
            self.maxAgeSeconds = maxAgeSeconds
            self.maxMessages = maxMessages
            self.firstOffset = firstOffset
        }

        enum CodingKeys: String, CodingKey {
            case channelID = "channel_id"
            case maxAgeSeconds = "max_age_seconds"
            case maxMessages = "max_messages"
            case firstOffset = "first_offset"
        }
    }
    /// The method name.
    public static let method = "channel.set_retention"
    /// The channel.
    public var channelID: ChannelID
    /// The age in seconds from which messages are removed: 1–3,153,600,000; 0 for no limit. Absent means the app's
    /// setting.
    public var maxAgeSeconds: Int?
    /// The number of newest messages to keep, replies included: 1–1,000,000,000; 0 for no limit. Absent means the app's
    /// setting.
    public var maxMessages: Int?

    /// Creates a `channel.set_retention` request; nil arguments are omitted.
    public init(channelID: ChannelID, maxAgeSeconds: Int? = nil, maxMessages: Int? = nil) {
        self.channelID = channelID
        self.maxAgeSeconds = maxAgeSeconds
        self.maxMessages = maxMessages
    }

    enum CodingKeys: String, CodingKey {
        case channelID = "channel_id"
        case maxAgeSeconds = "max_age_seconds"
        case maxMessages = "max_messages"
    }
}
