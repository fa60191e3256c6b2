/// A response that contains one thread.
public struct ThreadResponse: Codable, Hashable, Sendable {
    /// The thread, as the caller sees it.
    public var thread: MessageThread
    /// Creates a value from its fields.
    public init(thread: MessageThread) { self.thread = thread }
}

/// A thread in a list of threads (`T6`).
public struct ThreadEntry: Codable, Hashable, Sendable {
    /// A summary of the thread.
    public var thread: MessageThread
    /// The thread's channel.
    public var channel: Channel
    /// The thread's parent.
    public var parent: Message
    /// The newest replies, oldest first.
    public var replies: [Message]
    /// The parent's author, followed by the users who replied, in the order of their first replies.
    public var participants: [User]
    /// The position in the channel's room up to which the entry is current; only in a watched list.
    public var position: RoomPosition?

    /// Creates a value from its fields.
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
/// A thread that becomes active while a client reads the pages moves to the front and does not appear again. Later
/// activity, including new threads, arrives as `thread.reply` in the channels' rooms; clients announce it but do not
/// insert it into the list.
public struct ListThreads: Request {
    /// The response to `thread.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The threads of this page, newest activity first.
        public var threads: [ThreadEntry]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// The token of the previous page; absent if nothing is newer.
        public var prev: String?
        /// Creates a response from its fields.
        public init(threads: [ThreadEntry], next: String? = nil, prev: String? = nil) {
            self.threads = threads
            self.next = next
            self.prev = prev
        }
    }
    /// The method name.
    public static let method = "thread.list"
    /// The maximum number of threads per page: 1–100; 20 by default.
    public var limit: Int?
    /// The maximum number of replies per thread: 0–100; 3 by default.
    public var replyLimit: Int?
    /// The maximum number of participants per thread: 0–100; 10 by default.
    public var participantLimit: Int?
    /// The `next` or `prev` token of another page; nil for the first page.
    public var next: String?
    /// Whether the caller will watch the list; true by default. The entries of a watched list have a `position`, from
    /// which their changes continue. False only reads the list, and does not affect which events the connection
    /// receives.
    public var watch: Bool?

    /// Creates a `thread.list` request; nil arguments are omitted.
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

/// Returns one thread, in the same form as in the list.
public struct GetThread: Request {
    /// The response to `thread.get`.
    public typealias Response = ThreadEntry
    /// The method name.
    public static let method = "thread.get"
    /// The channel.
    public var channelID: ChannelID
    /// The parent of the thread.
    public var parentMessageID: MessageID
    /// The maximum number of replies: 0–100; 3 by default.
    public var replyLimit: Int?
    /// The maximum number of participants: 0–100; 10 by default.
    public var participantLimit: Int?

    /// Creates a `thread.get` request; nil arguments are omitted.
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

/// Sets the title or data of a thread (`T7`). For its participants, operators and the server. Absent fields keep their
/// values; an empty text removes one.
public struct UpdateThread: Request {
    /// The response to `thread.update`.
    public typealias Response = ThreadResponse
    /// The method name.
    public static let method = "thread.update"
    /// The channel.
    public var channelID: ChannelID
    /// The parent of the thread.
    public var parentMessageID: MessageID
    /// The title.
    public var title: String?
    /// Data for the app's own use: at most 8,192 bytes.
    public var data: String?

    /// Creates a `thread.update` request; nil arguments are omitted.
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

/// Marks a thread as read, completely or up to a reply (`T8`).
public struct MarkThreadRead: Request {
    /// The response to `thread.mark_read`.
    public typealias Response = ThreadResponse
    /// The method name.
    public static let method = "thread.mark_read"
    typealias CodingKeys = ReplyKeys
    /// The channel.
    public var channelID: ChannelID
    /// The parent of the thread.
    public var parentMessageID: MessageID
    /// The reply up to which the caller has read; nil for the newest.
    public var messageID: MessageID?

    /// Creates a `thread.mark_read` request; nil arguments are omitted.
    public init(channelID: ChannelID, parentMessageID: MessageID, messageID: MessageID? = nil) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.messageID = messageID
    }
}

/// Marks a reply and everything after it as unread in its thread (`T8`).
public struct MarkThreadUnread: Request {
    /// The response to `thread.mark_unread`.
    public typealias Response = ThreadResponse
    /// The method name.
    public static let method = "thread.mark_unread"
    typealias CodingKeys = ReplyKeys
    /// The channel.
    public var channelID: ChannelID
    /// The parent of the thread.
    public var parentMessageID: MessageID
    /// The first reply that becomes unread.
    public var messageID: MessageID

    /// Creates a `thread.mark_unread` request.
    public init(channelID: ChannelID, parentMessageID: MessageID, messageID: MessageID) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.messageID = messageID
    }
}

/// Lists the replies to one parent, oldest first (`T5`).
public struct ListReplies: Request {
    /// The response to `thread.replies`.
    public struct Response: Codable, Hashable, Sendable {
        /// The parent.
        public var parent: Message
        /// The replies, oldest first unless reversed.
        public var replies: [Message]
        /// Whether there are earlier replies.
        public var hasPrevious: Bool
        /// Whether there are later replies.
        public var hasNext: Bool
        /// Creates a response from its fields.
        public init(parent: Message, replies: [Message], hasPrevious: Bool, hasNext: Bool) {
            self.parent = parent
            self.replies = replies
            self.hasPrevious = hasPrevious
            self.hasNext = hasNext
        }
        enum CodingKeys: String, CodingKey {
            case parent, replies
            case hasPrevious = "has_previous"
            case hasNext = "has_next"
        }
    }
    /// The method name.
    public static let method = "thread.replies"
    /// The channel.
    public var channelID: ChannelID
    /// The parent.
    public var parentMessageID: MessageID
    /// The anchor time, in milliseconds since 1970. Without any anchor the list starts at the oldest reply, or goes
    /// back from the newest if only `previous` is given.
    public var at: Int64?
    /// The anchor reply, instead of `at`.
    public var messageID: MessageID?
    /// The number of replies before the anchor.
    public var previous: Int?
    /// The number of replies after the anchor.
    public var next: Int?
    /// Whether replies at the anchor are included; absent means true.
    public var inclusive: Bool?
    /// Whether the newest reply comes first; absent means false.
    public var reverse: Bool?
    /// The kind of reply to list; `file` includes `files`.
    public var kind: MessageKind?
    /// Whether each reply quotes the parent, as in the channel.
    public var includeParent: Bool?

    /// Creates a `thread.replies` request; nil arguments are omitted.
    public init(
        channelID: ChannelID, parentMessageID: MessageID, at: Int64? = nil, messageID: MessageID? = nil,
        previous: Int? = nil, next: Int? = nil, inclusive: Bool? = nil, reverse: Bool? = nil,
        kind: MessageKind? = nil, includeParent: Bool? = nil
    ) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.at = at
        self.messageID = messageID
        self.previous = previous
        self.next = next
        self.inclusive = inclusive
        self.reverse = reverse
        self.kind = kind
        self.includeParent = includeParent
    }

    enum CodingKeys: String, CodingKey {
        case at, previous, next, inclusive, reverse, kind
        case channelID = "channel_id"
        case parentMessageID = "parent_message_id"
        case messageID = "message_id"
        case includeParent = "include_parent"
    }
}
