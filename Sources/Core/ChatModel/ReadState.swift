/// A reader's position in a channel or thread: an offset, and the newest message at or before it.
public struct ReadPosition: Codable, Hashable, Sendable {
    /// The message; absent if the reader can see none at this position.
    public var messageID: MessageID?
    /// The offset in the channel's room up to which everything is read.
    public var offset: UInt64

    /// Creates a value from its fields.
    public init(messageID: MessageID?, offset: UInt64) {
        self.messageID = messageID
        self.offset = offset
    }

    enum CodingKeys: String, CodingKey {
        case offset
        case messageID = "message_id"
    }
}

/// One user's read state in a channel or, with a parent, in one of its threads. The two are independent (`U2`, `T8`). A
/// receipt for other users contains no counts.
public struct ReadState: Codable, Hashable, Sendable {
    /// The reader.
    public var userID: UserID
    /// The channel.
    public var channelID: ChannelID
    /// The parent of the thread; absent for the channel itself.
    public var parentMessageID: MessageID?
    /// The position up to which the reader has read.
    public var lastRead: ReadPosition
    /// The exact number of messages from others after `lastRead` (`U1`).
    public var unreadCount: Int?
    /// The number of unread messages that mention the reader; absent for a thread.
    public var unreadMentionCount: Int?
    /// The message above which clients draw the "unread" divider (`U5`).
    public var firstUnreadMessageID: MessageID?

    /// Creates a value from its fields.
    public init(
        userID: UserID, channelID: ChannelID, parentMessageID: MessageID? = nil, lastRead: ReadPosition,
        unreadCount: Int? = nil, unreadMentionCount: Int? = nil, firstUnreadMessageID: MessageID? = nil
    ) {
        self.userID = userID
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.lastRead = lastRead
        self.unreadCount = unreadCount
        self.unreadMentionCount = unreadMentionCount
        self.firstUnreadMessageID = firstUnreadMessageID
    }

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case channelID = "channel_id"
        case parentMessageID = "parent_message_id"
        case lastRead = "last_read"
        case unreadCount = "unread_count"
        case unreadMentionCount = "unread_mention_count"
        case firstUnreadMessageID = "first_unread_message_id"
    }
}

/// A user's unread totals across all joined channels (`U1`, `U7`), except channels that are hidden without auto-unhide.
public struct UnreadTotals: Codable, Hashable, Sendable {
    /// The number of unread messages in all channels.
    public var unreadCount: Int
    /// The number of unread messages that mention the user.
    public var unreadMentionCount: Int
    /// The number of channels with unread messages.
    public var unreadChannelCount: Int
    /// The number of threads with unread replies, among the threads in which the user participates. Counts at most
    /// 1,000 threads: those with the newest parents in each channel.
    public var unreadThreadCount: Int
    /// The number of unread replies in these threads, whether or not they also appear in the channel.
    public var unreadReplyCount: Int

    /// Creates a value from its fields.
    public init(
        unreadCount: Int = 0, unreadMentionCount: Int = 0, unreadChannelCount: Int = 0, unreadThreadCount: Int = 0,
        unreadReplyCount: Int = 0
    ) {
        self.unreadCount = unreadCount
        self.unreadMentionCount = unreadMentionCount
        self.unreadChannelCount = unreadChannelCount
        self.unreadThreadCount = unreadThreadCount
        self.unreadReplyCount = unreadReplyCount
    }

    enum CodingKeys: String, CodingKey {
        case unreadCount = "unread_count"
        case unreadMentionCount = "unread_mention_count"
        case unreadChannelCount = "unread_channel_count"
        case unreadThreadCount = "unread_thread_count"
        case unreadReplyCount = "unread_reply_count"
    }
}

/// The result of marking a message or reply as unread (`U3`, `T8`).
public struct UnreadChange: Codable, Hashable, Sendable {
    /// The channel.
    public var channelID: ChannelID
    /// The parent of the thread; absent for the channel itself.
    public var parentMessageID: MessageID?
    /// The first message or reply that became unread.
    public var markedFrom: MessageID
    /// The number of unread messages in the channel, or of unread replies in the thread.
    public var unreadCount: Int
    /// The user's totals across all channels.
    public var totals: UnreadTotals

    /// Creates a value from its fields.
    public init(
        channelID: ChannelID, parentMessageID: MessageID? = nil, markedFrom: MessageID, unreadCount: Int,
        totals: UnreadTotals
    ) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.markedFrom = markedFrom
        self.unreadCount = unreadCount
        self.totals = totals
    }

    enum CodingKeys: String, CodingKey {
        case totals
        case channelID = "channel_id"
        case parentMessageID = "parent_message_id"
        case markedFrom = "marked_from"
        case unreadCount = "unread_count"
    }
}
