/// Sends a message or, with a parent, a reply (`MS1`–`MS3`, `T1`).
public struct SendMessage: Request {
    public typealias Response = MessageResponse
    public static let method = "message.send"
    public var channelID: ChannelID
    /// Unique per user and channel: sending again with the same id returns the same message (`MS3`). 1–128 bytes.
    public var clientID: String?
    /// Absent means text.
    public var kind: MessageKind?
    public var text: String?
    public var parentMessageID: MessageID?
    /// Whether a reply appears in the channel too; absent means true (`T3`).
    public var replyToChannel: Bool?
    public var customType: String?
    public var data: String?
    /// Absent means `users` if some are named.
    public var mentionType: MentionType?
    /// At most 100.
    public var mentionedUserIDs: [UserID]?
    /// Lists of texts that the app attaches to the message: at most 20 keys of 1–128 bytes, 100 values of up to 1,024
    /// bytes per key, 16,384 bytes in all (`MS2`).
    public var metaArrays: [String: [String]]?
    /// Up to 10 tags like `en` or `pt-BR`.
    public var targetLanguages: [String]?
    public var pushOption: PushOption?
    public var criticalAlert: CriticalAlert?
    /// Exactly one for kind `file`, 1–20 for kind `files` (`MS1`).
    public var files: [FileReference]?
    /// Up to 3, for all files of the message.
    public var thumbnailSizes: [ThumbnailSize]?

    public init(
        channelID: ChannelID, text: String? = nil, clientID: String? = nil, kind: MessageKind? = nil,
        parentMessageID: MessageID? = nil, replyToChannel: Bool? = nil, customType: String? = nil, data: String? = nil,
        mentionType: MentionType? = nil, mentionedUserIDs: [UserID]? = nil
    ) {
        self.channelID = channelID
        self.clientID = clientID
        self.kind = kind
        self.text = text
        self.parentMessageID = parentMessageID
        self.replyToChannel = replyToChannel
        self.customType = customType
        self.data = data
        self.mentionType = mentionType
        self.mentionedUserIDs = mentionedUserIDs
    }

    enum CodingKeys: String, CodingKey {
        case kind, text, data, files
        case channelID = "channel_id"
        case clientID = "client_id"
        case parentMessageID = "parent_message_id"
        case replyToChannel = "reply_to_channel"
        case customType = "custom_type"
        case mentionType = "mention_type"
        case mentionedUserIDs = "mentioned_user_ids"
        case metaArrays = "meta_arrays"
        case targetLanguages = "target_languages"
        case pushOption = "push_option"
        case criticalAlert = "critical_alert"
        case thumbnailSizes = "thumbnail_sizes"
    }
}

/// Returns one message (`MS6`).
public struct GetMessage: Request {
    public typealias Response = MessageResponse
    public static let method = "message.get"
    typealias CodingKeys = MessageKeys
    public var channelID: ChannelID
    public var messageID: MessageID

    public init(channelID: ChannelID, messageID: MessageID) {
        self.channelID = channelID
        self.messageID = messageID
    }
}

/// Lists messages around a time or a message, or a page of the history (`MS4`, `MS5`).
///
/// Around an anchor: `at` or `messageID`, with `previous` and `next` messages on either side. By pages: `limit`, then
/// `next` with the token from the previous page; pages go back in time from the newest message.
public struct ListMessages: Request {
    public enum Replies: String, Codable, Sendable, CaseIterable {
        /// No replies. The default.
        case none
        case all
        /// Parents, and replies that were also sent to the channel.
        case onlyReplyToChannel = "only_reply_to_channel"
    }
    public struct Response: Codable, Hashable, Sendable {
        public var messages: [Message]
        public var hasPrevious: Bool
        public var hasNext: Bool
        /// Absent on the last page and for lists around an anchor.
        public var next: String?
        public init(messages: [Message], hasPrevious: Bool, hasNext: Bool, next: String? = nil) {
            self.messages = messages
            self.hasPrevious = hasPrevious
            self.hasNext = hasNext
            self.next = next
        }
        enum CodingKeys: String, CodingKey {
            case messages, next
            case hasPrevious = "has_previous"
            case hasNext = "has_next"
        }
    }
    public static let method = "message.list"
    public var channelID: ChannelID
    /// Milliseconds since 1970.
    public var at: Int64?
    public var messageID: MessageID?
    public var previous: Int?
    public var next: SizeOrToken?
    public var limit: Int?
    /// Whether messages at the anchor are included; absent means true.
    public var inclusive: Bool?
    /// Newest first.
    public var reverse: Bool?
    /// `file` matches `files` too.
    public var kind: MessageKind?
    public var customType: String?
    public var userIDs: [UserID]?
    public var replies: Replies?
    public var includeThread: Bool?
    public var includeParent: Bool?
    public var includeReactions: Bool?
    public var includeMetaArrays: Bool?
    /// Whether deleted messages are included, as tombstones.
    public var includeDeleted: Bool?

    public init(
        channelID: ChannelID, at: Int64? = nil, messageID: MessageID? = nil, previous: Int? = nil,
        next: SizeOrToken? = nil, limit: Int? = nil, inclusive: Bool? = nil, reverse: Bool? = nil,
        kind: MessageKind? = nil, customType: String? = nil, userIDs: [UserID]? = nil, replies: Replies? = nil,
        includeThread: Bool? = nil, includeParent: Bool? = nil, includeReactions: Bool? = nil,
        includeDeleted: Bool? = nil
    ) {
        self.channelID = channelID
        self.at = at
        self.messageID = messageID
        self.previous = previous
        self.next = next
        self.limit = limit
        self.inclusive = inclusive
        self.reverse = reverse
        self.kind = kind
        self.customType = customType
        self.userIDs = userIDs
        self.replies = replies
        self.includeThread = includeThread
        self.includeParent = includeParent
        self.includeReactions = includeReactions
        self.includeDeleted = includeDeleted
    }

    enum CodingKeys: String, CodingKey {
        case at, previous, next, limit, inclusive, reverse, kind, replies
        case channelID = "channel_id"
        case messageID = "message_id"
        case customType = "custom_type"
        case userIDs = "user_ids"
        case includeThread = "include_thread"
        case includeParent = "include_parent"
        case includeReactions = "include_reactions"
        case includeMetaArrays = "include_meta_arrays"
        case includeDeleted = "include_deleted"
    }
}

/// The value of `next`: a number of messages if used with an anchor, a token if used with `limit`.
public enum SizeOrToken: Codable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    case size(Int)
    case token(String)

    public init(integerLiteral value: Int) { self = .size(value) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let size = try? container.decode(Int.self) {
            self = .size(size)
        } else if let token = try? container.decode(String.self) {
            self = .token(token)
        } else {
            throw invalid("a number of messages or the token of a page", decoder)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .size(let size): try container.encode(size)
        case .token(let token): try container.encode(token)
        }
    }
}

/// Lists the replies to one parent, oldest first (`T5`).
public struct ListReplies: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var parent: Message
        public var replies: [Message]
        public var hasPrevious: Bool
        public var hasNext: Bool
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
    public static let method = "thread.replies"
    public var channelID: ChannelID
    public var parentMessageID: MessageID
    /// Milliseconds since 1970. Without it and `messageID` the list starts at the oldest reply, or goes back from the
    /// newest if only `previous` is given.
    public var at: Int64?
    public var messageID: MessageID?
    public var previous: Int?
    public var next: Int?
    public var inclusive: Bool?
    public var reverse: Bool?
    /// `file` matches `files` too.
    public var kind: MessageKind?
    /// Whether each reply quotes the parent, as in the channel.
    public var includeParent: Bool?

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
