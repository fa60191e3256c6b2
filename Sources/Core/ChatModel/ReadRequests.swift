/// The response to moving a read marker.
public struct ReadResponse: Codable, Hashable, Sendable {
    /// The caller's new read state in the channel.
    public var read: ReadState
    /// Creates a value from its fields.
    public init(read: ReadState) { self.read = read }
}

/// The caller's unread totals.
public struct UnreadResponse: Codable, Hashable, Sendable {
    /// The totals.
    public var unread: UnreadTotals
    /// Creates a value from its fields.
    public init(unread: UnreadTotals) { self.unread = unread }
}

/// Marks a channel as read, completely or up to a message; never moves the marker back (`U2`).
public struct MarkRead: Request {
    /// The response to `read.mark`.
    public typealias Response = ReadResponse
    /// The method name.
    public static let method = "read.mark"
    typealias CodingKeys = MessageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The message up to which the caller has read; nil for the newest.
    public var messageID: MessageID?

    /// Creates a `read.mark` request; nil arguments are omitted.
    public init(channelID: ChannelID, messageID: MessageID? = nil) {
        self.channelID = channelID
        self.messageID = messageID
    }
}

/// Marks a message and everything after it as unread for the calling user (`U3`). For text and file messages only
/// (`U4`).
public struct MarkUnread: Request {
    /// The response to `read.mark_unread`.
    public typealias Response = ReadResponse
    /// The method name.
    public static let method = "read.mark_unread"
    typealias CodingKeys = MessageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The first message that becomes unread.
    public var messageID: MessageID

    /// Creates a `read.mark_unread` request.
    public init(channelID: ChannelID, messageID: MessageID) {
        self.channelID = channelID
        self.messageID = messageID
    }
}

/// Marks every channel as read (`U6`). Channels without unread messages are not changed.
public struct MarkAllRead: Request {
    /// The response to `read.mark_all`.
    public typealias Response = UnreadResponse
    /// The method name.
    public static let method = "read.mark_all"
    /// Creates a `read.mark_all` request.
    public init() {}
}

/// Returns the calling user's unread totals (`U1`).
public struct GetUnreadCounts: Request {
    /// The response to `read.counts`.
    public typealias Response = UnreadResponse
    /// The method name.
    public static let method = "read.counts"
    /// Creates a `read.counts` request.
    public init() {}
}

/// Lists the users who have read a message, sorted by nickname, and counts those who have not (`U2`). Covers the users
/// who were members when the message was sent, except its sender.
public struct ListReceipts: Request {
    /// The response to `read.receipts`.
    public struct Response: Codable, Hashable, Sendable {
        /// The users on this page, all of whom have read the message.
        public var users: [User]
        /// The number of users who have read it, across all pages.
        public var readCount: Int
        /// The number of users who have not read it.
        public var unreadCount: Int
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(users: [User], readCount: Int, unreadCount: Int, next: String? = nil) {
            self.users = users
            self.readCount = readCount
            self.unreadCount = unreadCount
            self.next = next
        }
        enum CodingKeys: String, CodingKey {
            case users, next
            case readCount = "read_count"
            case unreadCount = "unread_count"
        }
    }
    /// The method name.
    public static let method = "read.receipts"
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `read.receipts` request; nil arguments are omitted.
    public init(channelID: ChannelID, messageID: MessageID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.messageID = messageID
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case limit, next
        case channelID = "channel_id"
        case messageID = "message_id"
    }
}
