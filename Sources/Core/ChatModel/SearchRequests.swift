/// Searches messages by words (`MS10`, `SE1`).
///
/// Every word of the query must occur in the text, in any order; case and diacritics are ignored. `word*` finds words
/// that begin so, and words in quotes must follow each other. Scripts without spaces are found inside a text. The search
/// includes replies, but neither deleted messages nor messages before the history visible to the caller.
public struct SearchMessages: Request {
    /// The order of the messages found.
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// The newest first. The default.
        case newest
        /// The best matches among the newest 1,000 first: those with more occurrences in a shorter text.
        case relevance
    }
    /// The response to `message.search`.
    public struct Response: Codable, Hashable, Sendable {
        /// The messages found, in the requested order. A page may contain few or none although more follow, because one
        /// call searches a limited amount.
        public var messages: [Message]
        /// For each message, the places of the words found in its text: start and length in UTF-16 units, ascending; at
        /// most 32.
        public var marks: [[[Int]]]
        /// Whether the search index knew every acknowledged message of the channels searched; otherwise, the newest or
        /// recently changed ones may be missing.
        public var isComplete: Bool
        /// The token of the next page; absent after everything has been searched.
        public var next: String?
        /// Creates a response from its fields.
        public init(messages: [Message], marks: [[[Int]]], isComplete: Bool, next: String? = nil) {
            self.messages = messages
            self.marks = marks
            self.isComplete = isComplete
            self.next = next
        }

        enum CodingKeys: String, CodingKey {
            case messages, marks, next
            case isComplete = "is_complete"
        }
    }
    /// The method name.
    public static let method = "message.search"
    /// The channel to search; absent for all channels that the calling user has joined.
    public var channelID: ChannelID?
    /// Words, prefixes (`word*`) and phrases (`"two words"`): 1–256 bytes.
    public var query: String
    /// Only messages of these users: up to 250.
    public var userIDs: [UserID]?
    /// The kind of message to find; `file` includes `files`.
    public var kind: MessageKind?
    /// Only messages with files, or only those without.
    public var hasFiles: Bool?
    /// Only messages sent at this time or later, in milliseconds since 1970.
    public var after: Int64?
    /// Only messages sent before this time, in milliseconds since 1970.
    public var before: Int64?
    /// The order; absent means newest first.
    public var order: Order?
    /// The maximum number of messages per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `message.search` request; nil arguments are omitted.
    public init(
        channelID: ChannelID? = nil, query: String, userIDs: [UserID]? = nil, kind: MessageKind? = nil,
        hasFiles: Bool? = nil, after: Int64? = nil, before: Int64? = nil, order: Order? = nil, limit: Int? = nil,
        next: String? = nil
    ) {
        self.channelID = channelID
        self.query = query
        self.userIDs = userIDs
        self.kind = kind
        self.hasFiles = hasFiles
        self.after = after
        self.before = before
        self.order = order
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case query, kind, after, before, order, limit, next
        case channelID = "channel_id"
        case userIDs = "user_ids"
        case hasFiles = "has_files"
    }
}
