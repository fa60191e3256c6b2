/// Sends a message or, with a parent, a reply (`MS1`–`MS3`, `T1`).
public struct SendMessage: Request {
    /// The response to `message.send`.
    public typealias Response = MessageResponse
    /// The method name.
    public static let method = "message.send"
    /// The channel.
    public var channelID: ChannelID
    /// The sender's id for the message, unique per user and channel: 1–128 bytes. A repeated id returns the existing
    /// message (`MS3`).
    public var clientID: String?
    /// The kind; absent means text.
    public var kind: MessageKind?
    /// The text: 1–16,384 bytes; nil for files.
    public var text: String?
    /// The message to reply to; nil for a message that is not a reply.
    public var parentMessageID: MessageID?
    /// Whether a reply also appears in the channel; absent means true (`T3`).
    public var replyToChannel: Bool?
    /// A type for the app's own use: at most 128 bytes.
    public var customType: String?
    /// Data for the app's own use: at most 8,192 bytes.
    public var data: String?
    /// Whether the listed users or everyone is mentioned; absent means `users` if any are listed.
    public var mentionType: MentionType?
    /// The mentioned users: at most 100.
    public var mentionedUserIDs: [UserID]?
    /// Lists of texts attached by the app: at most 20 keys of 1–128 bytes, 100 values per key of up to 1,024 bytes,
    /// 16,384 bytes in total (`MS2`).
    public var metaArrays: [String: [String]]?
    /// The languages into which the app translates the message: at most 10 tags like `en` or `pt-BR`.
    public var targetLanguages: [String]?
    /// Whether the message is pushed; absent means `default`.
    public var pushOption: PushOption?
    /// The sound of a push that also rings on a muted phone; nil for a normal push.
    public var criticalAlert: CriticalAlert?
    /// The files: exactly one for kind `file`, 1–20 for kind `files` (`MS1`).
    public var files: [FileReference]?
    /// The sizes of the thumbnails for all images of the message: at most 3.
    public var thumbnailSizes: [ThumbnailSize]?
    /// The seconds after which the message is removed for everyone: 1–31,536,000. Absent means the channel's
    /// `message_seconds`, which also limits a larger number (`MT9`).
    public var expiresInSeconds: Int?

    /// Creates a `message.send` request; nil arguments are omitted.
    public init(
        channelID: ChannelID, text: String? = nil, clientID: String? = nil, kind: MessageKind? = nil,
        parentMessageID: MessageID? = nil, replyToChannel: Bool? = nil, customType: String? = nil, data: String? = nil,
        mentionType: MentionType? = nil, mentionedUserIDs: [UserID]? = nil, files: [FileReference]? = nil,
        thumbnailSizes: [ThumbnailSize]? = nil, metaArrays: [String: [String]]? = nil,
        targetLanguages: [String]? = nil, pushOption: PushOption? = nil, criticalAlert: CriticalAlert? = nil,
        expiresInSeconds: Int? = nil
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
        self.files = files
        self.thumbnailSizes = thumbnailSizes
        self.metaArrays = metaArrays
        self.targetLanguages = targetLanguages
        self.pushOption = pushOption
        self.criticalAlert = criticalAlert
        self.expiresInSeconds = expiresInSeconds
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
        case expiresInSeconds = "expires_in_seconds"
    }
}

/// Returns one message (`MS6`).
public struct GetMessage: Request {
    /// The response to `message.get`.
    public typealias Response = MessageResponse
    /// The method name.
    public static let method = "message.get"
    typealias CodingKeys = MessageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID

    /// Creates a `message.get` request.
    public init(channelID: ChannelID, messageID: MessageID) {
        self.channelID = channelID
        self.messageID = messageID
    }
}

/// Lists the messages around an anchor, or a page of the history (`MS4`, `MS5`).
///
/// The anchor is a time (`at`) or a message (`messageID`), with `previous` messages before it and `next` after it. For
/// pages, set `limit`, then pass the token from the previous page in `next`; pages go back in time from the newest
/// message.
public struct ListMessages: Request {
    /// Which replies are listed in addition to messages.
    public enum Replies: String, Codable, Sendable, CaseIterable {
        /// No replies. The default.
        case none
        /// All replies.
        case all
        /// Only replies that were also sent to the channel.
        case onlyReplyToChannel = "only_reply_to_channel"
    }
    /// The response to `message.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The messages, oldest first unless reversed.
        public var messages: [Message]
        /// Whether there are earlier messages.
        public var hasPrevious: Bool
        /// Whether there are later messages.
        public var hasNext: Bool
        /// The token of the next page; absent on the last page and for lists around an anchor.
        public var next: String?
        /// Creates a response from its fields.
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
    /// The method name.
    public static let method = "message.list"
    /// The channel.
    public var channelID: ChannelID
    /// The anchor time, in milliseconds since 1970.
    public var at: Int64?
    /// The anchor message, instead of `at`.
    public var messageID: MessageID?
    /// The number of messages before the anchor.
    public var previous: Int?
    /// The number of messages after the anchor; with `limit`, the token from the previous page.
    public var next: SizeOrToken?
    /// The maximum number of messages per page, instead of an anchor: 1–100; 30 by default.
    public var limit: Int?
    /// Whether messages at the anchor are included; absent means true.
    public var inclusive: Bool?
    /// Whether the newest message comes first; absent means false.
    public var reverse: Bool?
    /// The kind of message to list; `file` includes `files`.
    public var kind: MessageKind?
    /// The custom type of messages to list, compared byte by byte.
    public var customType: String?
    /// The senders whose messages to list: at most 100.
    public var userIDs: [UserID]?
    /// Which replies are listed; absent means none.
    public var replies: Replies?
    /// Whether messages include a summary of their thread.
    public var includeThread: Bool?
    /// Whether replies quote their parent.
    public var includeParent: Bool?
    /// Whether messages include their reactions.
    public var includeReactions: Bool?
    /// Whether messages include their meta arrays.
    public var includeMetaArrays: Bool?
    /// Whether deleted messages are listed, as tombstones.
    public var includeDeleted: Bool?

    /// Creates a `message.list` request; nil arguments are omitted.
    public init(
        channelID: ChannelID, at: Int64? = nil, messageID: MessageID? = nil, previous: Int? = nil,
        next: SizeOrToken? = nil, limit: Int? = nil, inclusive: Bool? = nil, reverse: Bool? = nil,
        kind: MessageKind? = nil, customType: String? = nil, userIDs: [UserID]? = nil, replies: Replies? = nil,
        includeThread: Bool? = nil, includeParent: Bool? = nil, includeReactions: Bool? = nil,
        includeMetaArrays: Bool? = nil, includeDeleted: Bool? = nil
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
        self.includeMetaArrays = includeMetaArrays
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

/// The value of `next`: a number of messages with an anchor, a token with `limit`.
public enum SizeOrToken: Codable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// A number of messages.
    case size(Int)
    /// The token from the previous page.
    case token(String)

    /// Creates a size.
    public init(integerLiteral value: Int) { self = .size(value) }

    /// Decodes the JSON form.
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

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .size(let size): try container.encode(size)
        case .token(let token): try container.encode(token)
        }
    }
}
