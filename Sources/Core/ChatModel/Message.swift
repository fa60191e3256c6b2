/// The kind of a message; only the server API can send `admin` messages (`MS1`).
public enum MessageKind: String, Codable, Sendable, CaseIterable {
    /// A text, one file, several files, or a message from the app itself.
    case text, file, files, admin
}

/// A chat message.
public struct Message: Codable, Hashable, Sendable {
    /// The message's id.
    public var id: MessageID
    /// The channel it was sent to.
    public var channelID: ChannelID
    /// The kind of content.
    public var kind: MessageKind
    /// The text: at most 16,384 bytes; absent in file messages and tombstones.
    public var text: String?
    /// The sender; absent in messages from the app itself (`admin`).
    public var user: User?
    /// When the message was sent, in milliseconds since 1970; never decreases within a channel.
    public var createdAt: Int64
    /// When the message was last changed, in milliseconds since 1970; absent if never (`MS7`).
    public var updatedAt: Int64?
    /// When the message was deleted, in milliseconds since 1970; only in a tombstone, which has no content (`MS8`).
    public var deletedAt: Int64?
    /// The id chosen by the sender: at most 128 bytes; absent if there is none.
    public var clientID: String?
    /// The parent of a reply; absent in other messages (`T1`).
    public var parentMessageID: MessageID?
    /// Whether a reply also appears in the channel; absent means true (`T3`).
    public var replyToChannel: Bool?
    /// The message's position in its channel's room, counted from 1; 0 in an ephemeral channel (`CH5`).
    public var offset: UInt64
    /// The quoted parent; only in a reply, if quotes were requested.
    public var parent: MessageParent?
    /// A summary of the replies to this message; absent if there are none or it was not requested.
    public var thread: MessageThread?
    /// The reactions, one entry per key; absent if there are none or they were not requested (`R3`).
    public var reactions: [Reaction]?
    /// A type for the app's own use; absent if unset.
    public var customType: String?
    /// Data for the app's own use; absent if unset.
    public var data: String?
    /// Whether some users or everyone is mentioned; absent if nobody is (`MS2`).
    public var mentionType: MentionType?
    /// The mentioned users; absent unless `mentionType` is `users`.
    public var mentionedUserIDs: [UserID]?
    /// Lists of texts attached by the app; absent if there are none or a list request did not ask for them (`MS2`).
    public var metaArrays: [String: [String]]?
    /// The languages into which the app translates the message; absent if unset.
    public var targetLanguages: [String]?
    /// Whether the message is pushed; absent means `default`.
    public var pushOption: PushOption?
    /// The sound of a push that also rings on a muted phone; absent for a normal push.
    public var criticalAlert: CriticalAlert?
    /// The files of a message of kind `file` or `files` (`MS1`).
    public var files: [MessageFile]?
    /// When the message is removed, in milliseconds since 1970; absent if it stays (`MT9`).
    public var expiresAt: Int64?
    /// Whether the reader has blocked the sender; absent otherwise, and in events, which are the same for all (`MO1`).
    public var fromBlocked: Bool?
    /// The id of an imported message in the chat that it comes from; absent in all others (`PR3`).
    public var sourceID: String?

    /// Creates a value from its fields.
    public init(
        id: MessageID, channelID: ChannelID, kind: MessageKind, text: String?, user: User?, createdAt: Int64,
        updatedAt: Int64? = nil, deletedAt: Int64? = nil, clientID: String? = nil, parentMessageID: MessageID? = nil,
        replyToChannel: Bool? = nil, offset: UInt64,
        parent: MessageParent? = nil, thread: MessageThread? = nil, reactions: [Reaction]? = nil,
        customType: String? = nil, data: String? = nil, mentionType: MentionType? = nil,
        mentionedUserIDs: [UserID]? = nil
    ) {
        self.id = id
        self.channelID = channelID
        self.kind = kind
        self.text = text
        self.user = user
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.deletedAt = deletedAt
        self.clientID = clientID
        self.parentMessageID = parentMessageID
        self.replyToChannel = replyToChannel
        self.offset = offset
        self.parent = parent
        self.thread = thread
        self.reactions = reactions
        self.customType = customType
        self.data = data
        self.mentionType = mentionType
        self.mentionedUserIDs = mentionedUserIDs
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, text, user, offset, parent, thread, reactions, data, files
        case channelID = "channel_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
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
        case expiresAt = "expires_at"
        case sourceID = "source_id"
        case fromBlocked = "from_blocked"
    }
}

/// The message that a reply quotes.
public struct MessageParent: Codable, Hashable, Sendable {
    /// Whether the parent can be shown.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// The parent is visible.
        case ok
        /// The parent precedes the history visible to the reader; only its id is present.
        case unavailable
        /// The parent has been deleted.
        case notFound = "not_found"
    }

    /// The id of the quoted message.
    public var id: MessageID
    /// Whether the parent can be shown.
    public var state: State
    /// The parent's kind; absent unless it can be shown.
    public var kind: MessageKind?
    /// The beginning of the parent's text: whole characters, at most 1,024 bytes. Absent if the parent has no text or
    /// cannot be shown.
    public var text: String?
    /// The parent's sender; absent for a message from the app itself, or if the parent cannot be shown.
    public var user: User?
    /// When the parent was sent, in milliseconds since 1970; absent if it cannot be shown.
    public var createdAt: Int64?
    /// The parent's first file; absent if it has none or cannot be shown.
    public var file: MessageFile?

    /// Creates a value from its fields.
    public init(
        id: MessageID, state: State, kind: MessageKind? = nil, text: String? = nil, user: User? = nil,
        createdAt: Int64? = nil
    ) {
        self.id = id
        self.state = state
        self.kind = kind
        self.text = text
        self.user = user
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, state, kind, text, user, file
        case createdAt = "created_at"
    }
}

/// A summary of the replies to one parent. Readers who cannot see the parent get only the ids.
public struct MessageThread: Codable, Hashable, Sendable {
    /// The channel of the parent.
    public var channelID: ChannelID
    /// The parent.
    public var parentMessageID: MessageID
    /// The number of replies; absent for readers who cannot see the parent.
    public var replyCount: Int?
    /// The users with the most replies, most first; ties go to the earlier first reply. The settings limit their
    /// number, by default to 4 (`T4`).
    public var mostRepliedUsers: [User]?
    /// When the last reply was sent, in milliseconds since 1970.
    public var lastReplyAt: Int64?
    /// The title, set with `thread.update`; absent if unset (`T7`).
    public var title: String?
    /// Data for the app's own use: at most 8,192 bytes, set with `thread.update`; absent if unset (`T7`).
    public var data: String?
    /// The number of replies from others after `lastRead`; only for the calling user (`T8`).
    public var unreadCount: Int?
    /// The position up to which the calling user has read the thread (`T8`).
    public var lastRead: ReadPosition?

    /// Creates a value from its fields.
    public init(
        channelID: ChannelID, parentMessageID: MessageID, replyCount: Int? = nil, mostRepliedUsers: [User]? = nil,
        lastReplyAt: Int64? = nil, title: String? = nil, data: String? = nil, unreadCount: Int? = nil,
        lastRead: ReadPosition? = nil
    ) {
        self.channelID = channelID
        self.parentMessageID = parentMessageID
        self.replyCount = replyCount
        self.mostRepliedUsers = mostRepliedUsers
        self.lastReplyAt = lastReplyAt
        self.title = title
        self.data = data
        self.unreadCount = unreadCount
        self.lastRead = lastRead
    }

    enum CodingKeys: String, CodingKey {
        case title, data
        case unreadCount = "unread_count"
        case lastRead = "last_read"
        case channelID = "channel_id"
        case parentMessageID = "parent_message_id"
        case replyCount = "reply_count"
        case mostRepliedUsers = "most_replied_users"
        case lastReplyAt = "last_reply_at"
    }
}

/// The users mentioned by a message (`MS2`).
public enum MentionType: String, Codable, Sendable, CaseIterable {
    /// The listed users, or everyone in the channel.
    case users, channel
}

/// Whether a message is pushed to the devices of offline users (`MS2`).
public enum PushOption: String, Codable, Sendable, CaseIterable {
    /// According to the users' preferences, or not at all.
    case `default`, suppress
}

/// The sound of a push that also rings on a muted phone (`MS2`).
public struct CriticalAlert: Codable, Hashable, Sendable {
    /// The name of a sound that the app ships: 1–128 code points.
    public var name: String
    /// The volume: 0 to 1.
    public var volume: Double

    /// Creates a value from its fields.
    public init(name: String, volume: Double) {
        self.name = name
        self.volume = volume
    }
}
