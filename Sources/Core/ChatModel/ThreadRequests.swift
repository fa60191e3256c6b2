public struct ThreadResponse: Codable, Hashable, Sendable {
    public var thread: MessageThread
    public init(thread: MessageThread) { self.thread = thread }
}

/// A thread as an entry in a list of threads (`T6`).
public struct ThreadEntry: Codable, Hashable, Sendable {
    public var thread: MessageThread
    public var channel: Channel
    public var parent: Message
    /// The newest replies, oldest first.
    public var replies: [Message]
    /// The parent's author, then the users who replied, ordered by their first reply.
    public var participants: [User]
    /// The position in the channel's room up to which the entry is current; only in a list that is watched.
    public var position: RoomPosition?

    public init(
        thread: MessageThread, channel: Channel, parent: Message, replies: [Message], participants: [User],
        position: RoomPosition? = nil
    ) {
        self.position = position
        self.thread = thread
        self.channel = channel
        self.parent = parent
        self.replies = replies
        self.participants = participants
    }
}

/// Lists the threads in which the calling user wrote the parent or a reply, newest activity first (`T6`).
///
/// A thread that becomes active between two pages moves to the front and does not appear again. `thread.reply` in the
/// channels' rooms announces later activity, including new threads: clients announce it and insert nothing.
public struct ListThreads: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var threads: [ThreadEntry]
        /// Absent on the last page.
        public var next: String?
        /// The token of the previous page; absent if nothing is newer.
        public var prev: String?
        public init(threads: [ThreadEntry], next: String? = nil, prev: String? = nil) {
            self.threads = threads
            self.next = next
            self.prev = prev
        }
    }
    public static let method = "thread.list"
    /// 1–100; 20 if absent.
    public var limit: Int?
    /// 0–100; 3 if absent.
    public var replyLimit: Int?
    /// 0–100; 10 if absent.
    public var participantLimit: Int?
    /// The `next` or `prev` of a page.
    public var next: String?
    /// Whether the caller goes on to watch the list: each entry then has the `position` from which its changes
    /// continue. True if absent. False reads the list once, and does not affect which events a connection receives.
    public var watch: Bool?

    public init(
        limit: Int? = nil, replyLimit: Int? = nil, participantLimit: Int? = nil, next: String? = nil,
        watch: Bool? = nil
    ) {
        self.watch = watch
        self.limit = limit
        self.replyLimit = replyLimit
        self.participantLimit = participantLimit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case limit, next, watch
        case replyLimit = "reply_limit"
        case participantLimit = "participant_limit"
    }
}

/// Returns one thread in the form used by the list.
public struct GetThread: Request {
    public typealias Response = ThreadEntry
    public static let method = "thread.get"
    public var channelID: ChannelID
    public var parentMessageID: MessageID
    /// 0–100; 3 if absent.
    public var replyLimit: Int?
    /// 0–100; 10 if absent.
    public var participantLimit: Int?

    public init(
        channelID: ChannelID, parentMessageID: MessageID, replyLimit: Int? = nil, participantLimit: Int? = nil
    ) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.replyLimit = replyLimit
        self.participantLimit = participantLimit
    }

    enum CodingKeys: String, CodingKey {
        case channelID = "channel_id"
        case parentMessageID = "parent_message_id"
        case replyLimit = "reply_limit"
        case participantLimit = "participant_limit"
    }
}

/// Sets the title or the data of a thread (`T7`). Its participants, operators and the server may do so; absent fields
/// stay, and an empty text removes one.
public struct UpdateThread: Request {
    public typealias Response = ThreadResponse
    public static let method = "thread.update"
    public var channelID: ChannelID
    public var parentMessageID: MessageID
    public var title: String?
    public var data: String?

    public init(channelID: ChannelID, parentMessageID: MessageID, title: String? = nil, data: String? = nil) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.title = title
        self.data = data
    }

    enum CodingKeys: String, CodingKey {
        case title, data
        case channelID = "channel_id"
        case parentMessageID = "parent_message_id"
    }
}

/// Marks a thread as read up to now, or up to a reply (`T8`).
public struct MarkThreadRead: Request {
    public typealias Response = ThreadResponse
    public static let method = "thread.mark_read"
    typealias CodingKeys = ReplyKeys
    public var channelID: ChannelID
    public var parentMessageID: MessageID
    public var messageID: MessageID?

    public init(channelID: ChannelID, parentMessageID: MessageID, messageID: MessageID? = nil) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.messageID = messageID
    }
}

/// Marks a reply and all after it as unread in its thread (`T8`).
public struct MarkThreadUnread: Request {
    public typealias Response = ThreadResponse
    public static let method = "thread.mark_unread"
    typealias CodingKeys = ReplyKeys
    public var channelID: ChannelID
    public var parentMessageID: MessageID
    public var messageID: MessageID

    public init(channelID: ChannelID, parentMessageID: MessageID, messageID: MessageID) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.messageID = messageID
    }
}
