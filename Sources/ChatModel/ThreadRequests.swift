public struct ThreadResponse: Codable, Hashable, Sendable {
    public var thread: MessageThread
    public init(thread: MessageThread) { self.thread = thread }
}

/// A thread with what a list of threads shows of it (`T6`).
public struct ThreadEntry: Codable, Hashable, Sendable {
    public var thread: MessageThread
    public var channel: Channel
    public var parent: Message
    /// The newest ones, oldest first.
    public var replies: [Message]
    /// The parent's author, then who replied, earlier first repliers first.
    public var participants: [User]
    /// Up to where the entry tells what happened in the channel's room; only in a list that is watched.
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

/// The threads in which the asking user wrote the parent or a reply, newest activity first (`T6`).
///
/// A thread that becomes active between two pages moves to the front and is not told again; what is new since is told
/// by `thread.reply` in the channels' rooms, new threads too: clients announce those and insert none.
public struct ListThreads: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var threads: [ThreadEntry]
        /// Absent on the last page.
        public var next: String?
        /// The page before; absent where nothing is newer.
        public var prev: String?
        public init(threads: [ThreadEntry], next: String? = nil, prev: String? = nil) {
            self.threads = threads
            self.next = next
            self.prev = prev
        }
    }
    public static let method = "thread.list"
    /// 1–100; 20 when absent.
    public var limit: Int?
    /// 0–100; 3 when absent.
    public var replyLimit: Int?
    /// 0–100; 10 when absent.
    public var participantLimit: Int?
    /// `next` or `prev` of a page.
    public var next: String?
    /// Whether the list is the beginning of watching: each entry then has the `position` from which its changes go on.
    /// True when absent. False looks once, and changes nothing of what a connection hears.
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

/// One thread as the list shows it.
public struct GetThread: Request {
    public typealias Response = ThreadEntry
    public static let method = "thread.get"
    public var channelID: ChannelID
    public var parentMessageID: MessageID
    /// 0–100; 3 when absent.
    public var replyLimit: Int?
    /// 0–100; 10 when absent.
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

/// Names a thread or hangs data on it (`T7`). Who takes part in it, operators and the server; what is absent stays, and
/// an empty text takes away.
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

/// Marks a thread read up to now, or up to a reply (`T8`).
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

/// Makes a reply and all after it unread in its thread (`T8`).
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
