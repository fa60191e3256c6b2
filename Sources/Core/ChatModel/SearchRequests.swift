/// Searches messages by words, newest first (`MS10`).
///
/// Every word of the query must occur in the text, possibly inside a longer word, so that languages without spaces can
/// be searched too; case is ignored. Replies are found like other messages. Deleted messages and messages before the
/// caller's visible history are not found.
public struct SearchMessages: Request {
    /// The server's answer to `message.search`.
    public struct Response: Codable, Hashable, Sendable {
        /// Newest first. May be few or none although there are more, because one call searches a limited amount.
        public var messages: [Message]
        /// Absent once everything has been searched.
        public var next: String?
        /// Creates a response from its fields.
        public init(messages: [Message], next: String? = nil) {
            self.messages = messages
            self.next = next
        }
    }
    /// The name of the method on the wire.
    public static let method = "message.search"
    /// Absent means all channels in which the calling user is a member.
    public var channelID: ChannelID?
    /// Words separated by white space; 1–256 bytes.
    public var query: String
    /// 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `message.search` request; a nil argument leaves its field out.
    public init(channelID: ChannelID? = nil, query: String, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.query = query
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case query, limit, next
        case channelID = "channel_id"
    }
}
