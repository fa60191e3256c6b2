/// A group channel as one user sees it.
public struct Channel: Codable, Hashable, Sendable {
    public var id: ChannelID
    public var name: String
    public var isPublic: Bool
    public var isDistinct: Bool
    public var isSuper: Bool
    /// Whether only operators and the server can send (`CH10`).
    public var isFrozen: Bool
    /// Whether messages are only delivered to connected members, and not stored (`CH5`).
    public var isEphemeral: Bool
    public var customType: String?
    public var data: String?
    public var coverURL: String?
    public var metadata: [String: String]?
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// Absent if the server API created it.
    public var createdBy: UserID?
    /// Joined and invited people together.
    public var memberCount: Int
    public var joinedMemberCount: Int
    public var lastMessage: Message?
    /// The calling user's relation to the channel; absent for the server, and in events that are the same for everyone.
    public var my: MyMembership?

    enum CodingKeys: String, CodingKey {
        case id, name, data, metadata, my
        case isPublic = "is_public"
        case isDistinct = "is_distinct"
        case isSuper = "is_super"
        case isFrozen = "is_frozen"
        case isEphemeral = "is_ephemeral"
        case customType = "custom_type"
        case coverURL = "cover_url"
        case createdAt = "created_at"
        case createdBy = "created_by"
        case memberCount = "member_count"
        case joinedMemberCount = "joined_member_count"
        case lastMessage = "last_message"
    }

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

public enum MembershipState: String, Codable, Sendable, CaseIterable {
    case joined, invited, none
}

public enum MemberRole: String, Codable, Sendable, CaseIterable {
    case `operator`, member
}

/// The calling user's own relation to a channel.
public struct MyMembership: Codable, Hashable, Sendable {
    public var state: MembershipState
    public var role: MemberRole?
    /// Milliseconds since 1970; absent unless joined.
    public var joinedAt: Int64?
    /// Milliseconds since 1970; absent unless muted, `Sanction.endless` for a mute without an end (`ME4`).
    public var mutedUntil: Int64?
    /// Messages from others after `lastRead`; exact, absent unless joined (`U1`).
    public var unreadCount: Int?
    public var unreadMentionCount: Int?
    public var lastRead: ReadPosition?
    /// The message above which clients draw the divider (`U5`).
    public var firstUnreadMessageID: MessageID?
    /// Absent unless joined (`CH11`).
    public var hiddenState: HiddenState?
    /// Absent means default (`L2`).
    public var push: ChannelPush?

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
        case state, role, push
        case joinedAt = "joined_at"
        case mutedUntil = "muted_until"
        case unreadCount = "unread_count"
        case unreadMentionCount = "unread_mention_count"
        case lastRead = "last_read"
        case firstUnreadMessageID = "first_unread_message_id"
        case hiddenState = "hidden_state"
    }
}

/// One person in a channel.
public struct Member: Codable, Hashable, Sendable {
    public var user: User
    public var role: MemberRole
    public var state: MembershipState
    public var joinedAt: Int64?
    public var invitedBy: UserID?
    /// Milliseconds since 1970; absent unless muted, `Sanction.endless` for a mute without an end (`ME4`).
    public var mutedUntil: Int64?
    /// Milliseconds since 1970; absent unless banned, `Sanction.endless` for a ban without an end (`ME3`).
    public var bannedUntil: Int64?
    /// The furthest position that the member reported as read; absent unless joined (`ME1`, `U2`).
    public var lastRead: ReadPosition?
    /// Whether the user is online (`US6`); absent in events, because they are also read later.
    public var online: Bool?
    /// When the user's last connection ended, in milliseconds since 1970; absent if that is not known (`ME1`).
    public var lastSeenAt: Int64?

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

/// An invitation in the events received, accepted, declined and cancelled (`CH8`).
public struct Invitation: Codable, Hashable, Sendable {
    public var channel: Channel
    /// Absent if the server API sent the invitation.
    public var inviter: User?
    public var invitee: User
    /// When the invitation was made; milliseconds since 1970.
    public var at: Int64

    public init(channel: Channel, inviter: User?, invitee: User, at: Int64) {
        self.channel = channel
        self.inviter = inviter
        self.invitee = invitee
        self.at = at
    }
}
