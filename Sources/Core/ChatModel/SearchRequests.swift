/// Searches messages by words, newest first (`MS10`).
///
/// Every word of the query must occur in the text, ignoring case. It may be part of a longer word, so that languages
/// without spaces can be searched too. The search includes replies, but neither deleted messages nor messages before
/// the history visible to the caller.
public struct SearchMessages: Request {
    /// The response to `message.search`.
    public struct Response: Codable, Hashable, Sendable {
        /// The messages found, newest first. A page may contain few or none although more follow, because one call
        /// searches a limited amount.
        public var messages: [Message]
        /// The token of the next page; absent after everything has been searched.
        public var next: String?
        /// Creates a response from its fields.
        public init(messages: [Message], next: String? = nil) {
            self.messages = messages
            self.next = next
        }
    }
    /// The method name.
    public static let method = "message.search"
    /// The channel to search; absent for all channels that the calling user has joined.
    public var channelID: ChannelID?
    /// Words separated by white space: 1–256 bytes.
    public var query: String
    /// The maximum number of messages per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `message.search` request; nil arguments are omitted.
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
