/// A group channel as one user sees it.
public struct Channel: Codable, Hashable, Sendable {
    /// The channel's id.
    public var id: ChannelID
    /// The displayed name: at most 200 characters; may be empty.
    public var name: String
    /// Whether anyone may join (`CH2`).
    public var isPublic: Bool
    /// Whether it is the only channel with its set of members (`CH3`).
    public var isDistinct: Bool
    /// Whether it is a super channel, which may have more members (`CH4`).
    public var isSuper: Bool
    /// Whether only operators and the server can send (`CH10`).
    public var isFrozen: Bool
    /// Whether messages are delivered to connected members but not stored (`CH5`).
    public var isEphemeral: Bool
    /// The seconds after which new messages are removed; absent if they stay (`MT9`).
    public var messageSeconds: Int?
    /// The seconds between two messages of one member who is no operator; absent unless the channel is in slow mode
    /// (`MO5`).
    public var slowModeSeconds: Int?
    /// The offset from which messages are kept; absent unless older ones were removed (`PR4`).
    public var firstOffset: UInt64?
    /// A type for the app's own use; nil if unset.
    public var customType: String?
    /// Data for the app's own use; nil if unset.
    public var data: String?
    /// The URL of the cover image; nil if unset.
    public var coverURL: String?
    /// The app's key-value pairs; nil where they are omitted.
    public var metadata: [String: String]?
    /// When the channel was created, in milliseconds since 1970.
    public var createdAt: Int64
    /// The user who created the channel; absent if the server API did.
    public var createdBy: UserID?
    /// The number of joined and invited members.
    public var memberCount: Int
    /// The number of joined members.
    public var joinedMemberCount: Int
    /// The newest message visible to the reader; nil if there is none.
    public var lastMessage: Message?
    /// The calling user's relation to the channel; absent for the server, and in events that are identical for
    /// everyone.
    public var my: MyMembership?

    enum CodingKeys: String, CodingKey {
        case id, name, data, metadata, my
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
        case lastMessage = "last_message"
    }

    /// Creates a value from its fields.
    public init(
        id: ChannelID, name: String, isPublic: Bool, isDistinct: Bool, isSuper: Bool, customType: String?,
        data: String?, coverURL: String?, metadata: [String: String]?, createdAt: Int64, createdBy: UserID?,
        memberCount: Int, joinedMemberCount: Int, lastMessage: Message? = nil, my: MyMembership? = nil,
        isFrozen: Bool = false, isEphemeral: Bool = false
    ) {
        self.id = id
        self.name = name
        self.isPublic = isPublic
        self.isDistinct = isDistinct
        self.isSuper = isSuper
        self.isFrozen = isFrozen
        self.isEphemeral = isEphemeral
        self.customType = customType
        self.data = data
        self.coverURL = coverURL
        self.metadata = metadata
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.memberCount = memberCount
        self.joinedMemberCount = joinedMemberCount
        self.lastMessage = lastMessage
        self.my = my
    }
}

/// A user's relation to a channel: a member, invited, or neither.
public enum MembershipState: String, Codable, Sendable, CaseIterable {
    /// A member, invited but not yet a member, or neither.
    case joined, invited, none
}

/// A member's role; operators moderate the channel (`ME2`).
public enum MemberRole: String, Codable, Sendable, CaseIterable {
    /// An operator, or an ordinary member.
    case `operator`, member
}

/// The calling user's own relation to a channel.
public struct MyMembership: Codable, Hashable, Sendable {
    /// Whether the user has joined, is invited, or neither.
    public var state: MembershipState
    /// The user's role; absent unless joined.
    public var role: MemberRole?
    /// When the user joined, in milliseconds since 1970; absent unless joined.
    public var joinedAt: Int64?
    /// When the mute ends, in milliseconds since 1970; absent unless muted, `Sanction.endless` for a permanent mute
    /// (`ME4`).
    public var mutedUntil: Int64?
    /// The exact number of messages from others after `lastRead`; absent unless joined (`U1`).
    public var unreadCount: Int?
    /// The number of unread messages that mention the user; absent unless joined.
    public var unreadMentionCount: Int?
    /// The position up to which the user has read; absent unless joined.
    public var lastRead: ReadPosition?
    /// The message above which clients draw the "unread" divider (`U5`).
    public var firstUnreadMessageID: MessageID?
    /// Whether the user hides the channel; absent unless joined (`CH11`).
    public var hiddenState: HiddenState?
    /// Which messages are pushed to the user; absent for the default (`L2`).
    public var push: ChannelPush?
    /// What the user's role may do, regardless of mutes, freezing and settings; absent unless joined (`RO1`).
    public var permissions: [Permission]?

    /// Creates a value from its fields.
    public init(
        state: MembershipState, role: MemberRole? = nil, joinedAt: Int64? = nil, unreadCount: Int? = nil,
        unreadMentionCount: Int? = nil, lastRead: ReadPosition? = nil, firstUnreadMessageID: MessageID? = nil,
        mutedUntil: Int64? = nil, hiddenState: HiddenState? = nil, push: ChannelPush? = nil
    ) {
        self.push = push
        self.state = state
        self.role = role
        self.joinedAt = joinedAt
        self.unreadCount = unreadCount
        self.unreadMentionCount = unreadMentionCount
        self.lastRead = lastRead
        self.firstUnreadMessageID = firstUnreadMessageID
        self.mutedUntil = mutedUntil
        self.hiddenState = hiddenState
    }

    enum CodingKeys: String, CodingKey {
        case state, role, push, permissions
        case joinedAt = "joined_at"
        case mutedUntil = "muted_until"
        case unreadCount = "unread_count"
        case unreadMentionCount = "unread_mention_count"
        case lastRead = "last_read"
        case firstUnreadMessageID = "first_unread_message_id"
        case hiddenState = "hidden_state"
    }
}

/// One user in a channel.
public struct Member: Codable, Hashable, Sendable {
    /// The user.
    public var user: User
    /// The user's role in the channel.
    public var role: MemberRole
    /// Whether the user has joined or is invited.
    public var state: MembershipState
    /// When the user joined, in milliseconds since 1970; absent unless joined.
    public var joinedAt: Int64?
    /// The user who sent the invitation; absent unless the member is invited, by a user.
    public var invitedBy: UserID?
    /// When the mute ends, in milliseconds since 1970; absent unless muted, `Sanction.endless` for a permanent mute
    /// (`ME4`).
    public var mutedUntil: Int64?
    /// When the ban ends, in milliseconds since 1970; absent unless banned, `Sanction.endless` for a permanent ban
    /// (`ME3`).
    public var bannedUntil: Int64?
    /// The furthest position that the member has marked as read; absent unless joined (`ME1`, `U2`).
    public var lastRead: ReadPosition?
    /// Whether the user is online (`US6`); absent in events, because they may be read later.
    public var online: Bool?
    /// When the user's last connection ended, in milliseconds since 1970; absent if unknown (`ME1`).
    public var lastSeenAt: Int64?

    /// Creates a value from its fields.
    public init(
        user: User, role: MemberRole, state: MembershipState, joinedAt: Int64? = nil, invitedBy: UserID? = nil,
        mutedUntil: Int64? = nil, bannedUntil: Int64? = nil, lastRead: ReadPosition? = nil, online: Bool? = nil,
        lastSeenAt: Int64? = nil
    ) {
        self.user = user
        self.role = role
        self.state = state
        self.joinedAt = joinedAt
        self.invitedBy = invitedBy
        self.mutedUntil = mutedUntil
        self.bannedUntil = bannedUntil
        self.lastRead = lastRead
        self.online = online
        self.lastSeenAt = lastSeenAt
    }

    enum CodingKeys: String, CodingKey {
        case user, role, state, online
        case joinedAt = "joined_at"
        case invitedBy = "invited_by"
        case mutedUntil = "muted_until"
        case bannedUntil = "banned_until"
        case lastRead = "last_read"
        case lastSeenAt = "last_seen_at"
    }
}

/// The invitation carried by `invitation.received`, `.accepted`, `.declined` and `.cancelled` events (`CH8`).
public struct Invitation: Codable, Hashable, Sendable {
    /// The channel, as the invited user sees it.
    public var channel: Channel
    /// The user who sent the invitation; absent if the server API did.
    public var inviter: User?
    /// The invited user.
    public var invitee: User
    /// When the invitation was sent, in milliseconds since 1970.
    public var at: Int64

    /// Creates a value from its fields.
    public init(channel: Channel, inviter: User?, invitee: User, at: Int64) {
        self.channel = channel
        self.inviter = inviter
        self.invitee = invitee
        self.at = at
    }
}
