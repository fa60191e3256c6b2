/// A line of an import (`PR3`): what `type` says, with the fields of that type. The lines of an export are valid lines.
///
/// Lines of the types `export`, `file`, `report`, `membership`, `end` and of unknown types are counted but not imported.
public struct ImportLine: Codable, Hashable, Sendable {
    /// The type: `emoji`, `user`, `channel`, `member`, `ban`, `mute`, `block`, `message`, `reaction`, `thread` or
    /// `read`.
    public var type: String
    /// The channel of a line about a member, ban, mute, reaction, thread or read marker; absent for a ban or mute in the
    /// whole app.
    public var channelID: ChannelID?
    /// The emoji, unless one with its key exists.
    public var emoji: Emoji?
    /// The user, unless one with this id exists.
    public var user: ImportedUser?
    /// Whether invitations add the user at once; absent means true.
    public var autoAcceptInvitations: Bool?
    /// Which messages are pushed to the user; absent means all.
    public var push: PushPreference?
    /// Ignored: devices are registered again when their users sign in.
    public var devices: [Device]?
    /// The channel.
    public var channel: ImportedChannel?
    /// The member.
    public var member: ImportedMember?
    /// The user who reacted, has read, has blocked someone, or is banned or muted.
    public var userID: UserID?
    /// The user who is blocked.
    public var blockedUserID: UserID?
    /// The end of the ban or mute, in milliseconds since 1970.
    public var until: Int64?
    /// The reason of the ban or mute: at most 1,024 bytes.
    public var description: String?
    /// The time of the ban, mute or reaction, in milliseconds since 1970.
    public var at: Int64?
    /// The user who imposed the ban or mute; absent for the app.
    public var by: UserID?
    /// The message.
    public var message: ImportedMessage?
    /// The original id of the message that was reacted to, or that was read last. Without it, a `read` line says that
    /// nothing was read.
    public var messageID: String?
    /// The key of the reaction's emoji.
    public var key: String?
    /// The original id of the thread's parent.
    public var parentMessageID: String?
    /// The thread's title.
    public var title: String?
    /// Data of the thread for the app's own use.
    public var data: String?
    /// Ignored: the version of the export.
    public var version: Int?
    /// Ignored: uploads are not part of an export.
    public var file: MessageFile?
    /// Ignored: reports are not imported.
    public var report: Report?
    /// Ignored: a user's view of a channel, from the export of one user.
    public var membership: MyMembership?
    /// Ignored: the number of lines in the export.
    public var lines: Int?

    /// Creates a line without fields.
    public init(type: String) { self.type = type }

    enum CodingKeys: String, CodingKey {
        case type, emoji, user, push, devices, channel, member, until, description, at, by, message, key, title, data
        case version, file, report, membership, lines
        case channelID = "channel_id"
        case autoAcceptInvitations = "auto_accept_invitations"
        case userID = "user_id"
        case blockedUserID = "blocked_user_id"
        case messageID = "message_id"
        case parentMessageID = "parent_message_id"
    }
}

/// A user to import, or one who is named in another line by id.
public struct ImportedUser: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: UserID
    /// The displayed name; absent means the id.
    public var nickname: String?
    /// The URL of the profile image.
    public var profileURL: String?
    /// The app's key-value pairs.
    public var metadata: [String: String]?
    /// Whether the user is active; absent means true.
    public var isActive: Bool?
    /// Ignored: the id tells guests, who cannot be imported.
    public var isGuest: Bool?
    /// Whether the user is an operator of every channel they are in; absent means false (`RO1`).
    public var isAppAdmin: Bool?
    /// Ignored: nobody is online while they are imported.
    public var online: Bool?
    /// When the user's last connection ended, in milliseconds since 1970; absent if unknown.
    public var lastSeenAt: Int64?

    /// Creates a user with this id.
    public init(id: UserID) { self.id = id }

    enum CodingKeys: String, CodingKey {
        case id, nickname, metadata, online
        case profileURL = "profile_url"
        case isActive = "is_active"
        case isGuest = "is_guest"
        case isAppAdmin = "is_app_admin"
        case lastSeenAt = "last_seen_at"
    }
}

/// A channel to import.
public struct ImportedChannel: Codable, Hashable, Sendable {
    /// The channel's id, which must be unused.
    public var id: ChannelID
    /// The displayed name.
    public var name: String?
    /// Whether anyone may join; false if absent.
    public var isPublic: Bool?
    /// Whether it is the only channel with its set of members, which it is only if there is no other; false if absent.
    public var isDistinct: Bool?
    /// Whether it is a super channel; false if absent.
    public var isSuper: Bool?
    /// Whether only operators can send; false if absent.
    public var isFrozen: Bool?
    /// Whether messages are delivered but not stored; false if absent.
    public var isEphemeral: Bool?
    /// The seconds after which messages sent later are removed: at most 31,536,000; 0 or absent for never.
    public var messageSeconds: Int?
    /// The seconds between two messages of one member: at most 86,400; 0 or absent for no slow mode.
    public var slowModeSeconds: Int?
    /// Ignored: an export has only the messages that are kept.
    public var firstOffset: UInt64?
    /// A type for the app's own use.
    public var customType: String?
    /// Data for the app's own use.
    public var data: String?
    /// The URL of the cover image.
    public var coverURL: String?
    /// The app's key-value pairs.
    public var metadata: [String: String]?
    /// When the channel was created, in milliseconds since 1970.
    public var createdAt: Int64
    /// The user who created the channel; absent for the app.
    public var createdBy: UserID?
    /// Ignored: the members are counted again.
    public var memberCount: Int?
    /// Ignored, like `member_count`.
    public var joinedMemberCount: Int?

    /// Creates a channel without optional fields.
    public init(id: ChannelID, createdAt: Int64) {
        self.id = id
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, name, data, metadata
        case isPublic = "is_public"
        case isDistinct = "is_distinct"
        case isSuper = "is_super"
        case isFrozen = "is_frozen"
        case isEphemeral = "is_ephemeral"
        case messageSeconds = "message_seconds"
        case slowModeSeconds = "slow_mode_seconds"
        case firstOffset = "first_offset"
        case customType = "custom_type"
        case coverURL = "cover_url"
        case createdAt = "created_at"
        case createdBy = "created_by"
        case memberCount = "member_count"
        case joinedMemberCount = "joined_member_count"
    }
}

/// A member to import.
public struct ImportedMember: Codable, Hashable, Sendable {
    /// The user, of whom only the id is read.
    public var user: ImportedUser
    /// The role; absent means member.
    public var role: MemberRole?
    /// Whether the user has joined or is invited; absent means joined.
    public var state: MembershipState?
    /// When the user joined, in milliseconds since 1970; absent means when the channel was created.
    public var joinedAt: Int64?
    /// The user who sent the invitation.
    public var invitedBy: UserID?
    /// Ignored: a `mute` line has the mute.
    public var mutedUntil: Int64?
    /// Ignored: a `ban` line has the ban.
    public var bannedUntil: Int64?
    /// Ignored: a `read` line has the read marker.
    public var lastRead: ReadPosition?

    /// Creates a member without optional fields.
    public init(user: ImportedUser) { self.user = user }

    enum CodingKeys: String, CodingKey {
        case user, role, state
        case joinedAt = "joined_at"
        case invitedBy = "invited_by"
        case mutedUntil = "muted_until"
        case bannedUntil = "banned_until"
        case lastRead = "last_read"
    }
}

/// A message to import. In one channel, messages come in the order in which they were sent.
public struct ImportedMessage: Codable, Hashable, Sendable {
    /// The original id, unique in the channel and kept as the message's `source_id`: 1–128 bytes.
    public var id: String
    /// The channel, which the same import creates.
    public var channelID: ChannelID
    /// The kind; absent means text, or admin without a sender.
    public var kind: MessageKind?
    /// The text.
    public var text: String?
    /// The sender, of whom only the id is read; absent for a message from the app itself (`admin`).
    public var user: ImportedUser?
    /// When the message was sent, in milliseconds since 1970.
    public var createdAt: Int64
    /// When the message was last changed, in milliseconds since 1970.
    public var updatedAt: Int64?
    /// When the message was deleted, in milliseconds since 1970; its content is then not imported.
    public var deletedAt: Int64?
    /// When the message is removed, in milliseconds since 1970; absent if it stays.
    public var expiresAt: Int64?
    /// The id chosen by the sender.
    public var clientID: String?
    /// The original id of the parent of a reply.
    public var parentMessageID: String?
    /// Whether a reply also appears in the channel; absent means true.
    public var replyToChannel: Bool?
    /// A type for the app's own use.
    public var customType: String?
    /// Data for the app's own use.
    public var data: String?
    /// Whether some users or everyone is mentioned.
    public var mentionType: MentionType?
    /// The mentioned users. Those who do not exist are left out.
    public var mentionedUserIDs: [UserID]?
    /// Lists of texts attached by the app.
    public var metaArrays: [String: [String]]?
    /// The languages into which the app translates the message.
    public var targetLanguages: [String]?
    /// Ignored: nothing is pushed.
    public var pushOption: PushOption?
    /// Ignored: nothing is pushed.
    public var criticalAlert: CriticalAlert?
    /// The files, as links: uploads are not part of an export.
    public var files: [MessageFile]?
    /// Ignored: the position in the original channel.
    public var offset: UInt64?
    /// Ignored: the id from an earlier import.
    public var sourceID: String?

    /// Creates a message without optional fields.
    public init(id: String, channelID: ChannelID, createdAt: Int64) {
        self.id = id
        self.channelID = channelID
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, text, user, data, files, offset
        case channelID = "channel_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
        case expiresAt = "expires_at"
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
        case sourceID = "source_id"
    }
}
