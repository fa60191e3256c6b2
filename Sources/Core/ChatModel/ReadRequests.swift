public struct ReadResponse: Codable, Hashable, Sendable {
    public var read: ReadState
    public init(read: ReadState) { self.read = read }
}

public struct UnreadResponse: Codable, Hashable, Sendable {
    public var unread: UnreadTotals
    public init(unread: UnreadTotals) { self.unread = unread }
}

/// Marks a channel as read up to now, or up to a message; never moves the marker back (`U2`).
public struct MarkRead: Request {
    public typealias Response = ReadResponse
    public static let method = "read.mark"
    typealias CodingKeys = MessageKeys
    public var channelID: ChannelID
    public var messageID: MessageID?

    public init(channelID: ChannelID, messageID: MessageID? = nil) {
        self.channelID = channelID
        self.messageID = messageID
    }
}

/// Marks a message and all after it as unread for the calling user (`U3`). Text and file messages only (`U4`).
public struct MarkUnread: Request {
    public typealias Response = ReadResponse
    public static let method = "read.mark_unread"
    typealias CodingKeys = MessageKeys
    public var channelID: ChannelID
    public var messageID: MessageID

    public init(channelID: ChannelID, messageID: MessageID) {
        self.channelID = channelID
        self.messageID = messageID
    }
}

/// Marks every channel as read (`U6`); those without unread messages are not touched.
public struct MarkAllRead: Request {
    public typealias Response = UnreadResponse
    public static let method = "read.mark_all"
    public init() {}
}

/// Returns the calling user's totals (`U1`).
public struct GetUnreadCounts: Request {
    public typealias Response = UnreadResponse
    public static let method = "read.counts"
    public init() {}
}

/// Lists who has read a message, by nickname, and how many have not (`U2`). Covers the users who were members when it
/// was sent, except its sender.
public struct ListReceipts: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var users: [User]
        /// How many have read it, on all pages together.
        public var readCount: Int
        public var unreadCount: Int
        /// Absent on the last page.
        public var next: String?
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
    public static let method = "read.receipts"
    public var channelID: ChannelID
    public var messageID: MessageID
    public var limit: Int?
    public var next: String?

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
