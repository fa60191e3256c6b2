/// Searches messages by words, newest first (`MS10`).
///
/// Every word of the query has to occur, anywhere in the text and also inside a longer word, so that languages
/// without spaces are searched too; upper and lower case are alike. Replies are found like other messages, deleted
/// messages and what lies before one's visible history are not.
public struct SearchMessages: Request {
    public struct Response: Codable, Hashable, Sendable {
        /// Newest first. May be few or none while there is more: one call looks only so far.
        public var messages: [Message]
        /// Absent when everything has been looked at.
        public var next: String?
        public init(messages: [Message], next: String? = nil) {
            self.messages = messages
            self.next = next
        }
    }
    public static let method = "message.search"
    /// Absent means all channels in which the asking user is a member.
    public var channelID: ChannelID?
    /// Words between white space; 1–256 bytes.
    public var query: String
    /// 1–100, by default 30.
    public var limit: Int?
    public var next: String?

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
