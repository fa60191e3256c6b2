/// How clients show replies (`T2`).
public enum ReplyType: String, Codable, Sendable, CaseIterable {
    /// Clients show no replies.
    case none
    /// In the channel, with a quote of the parent.
    case quoteReply = "quote_reply"
    /// In threads.
    case thread
}

/// The destination of a tap on a reply (`T2`).
public enum ThreadReplySelect: String, Codable, Sendable, CaseIterable {
    /// The parent in the channel, or the thread.
    case parent, thread
}

/// The ids that users may choose for the channels they create (`CH6`).
public enum UserChannelIDs: String, Codable, Sendable, CaseIterable {
    /// Any unused id.
    case free
    /// Ids that begin with `~`, which the server cannot use for its own channels.
    case prefix
    /// None: the server generates the id.
    case off
}

/// Settings of the chat that can be changed at run time, named as in the configuration file.
///
/// In a change, absent settings keep their values; a response contains all settings.
public struct SettingValues: Codable, Hashable, Sendable {
    /// Whether new members see older messages.
    public var historyVisibleToNewcomers: Bool?
    /// Whether users, and not only server keys, may create channels.
    public var usersCreateChannels: Bool?
    /// Which ids users may choose for their channels (`CH6`).
    public var userChannelIDs: UserChannelIDs?
    /// Whether distinct channels with the same members can differ by custom type (`CH3`).
    public var distinctByCustomType: Bool?
    /// Whether reactions can be added and removed.
    public var reactions: Bool?
    /// Whether reactions can be added and removed in super channels.
    public var reactionsInSuperChannels: Bool?
    /// The number of users listed per key in a message's reactions.
    public var reactionUsersShown: Int?
    /// The maximum number of members of a channel that gets typing, presence and profile events (`US6`).
    public var presenceMembers: Int?
    /// How long users still count as online after their last connection ended, in milliseconds (`US6`).
    public var presenceGraceMilliseconds: Int?
    /// The maximum number of channels per user (`US4`).
    public var channelsPerUser: Int?
    /// The maximum number of open invitations per user (`US4`).
    public var invitationsPerUser: Int?
    /// The maximum number of existing channels created by one user (`CH6`).
    public var channelsPerCreator: Int?
    /// The number of channels that one user can create in a burst.
    public var creationsAtOnce: Int?
    /// The number of further channels that one user can create per minute.
    public var creationsPerMinute: Int?
    /// The number of users that one user can add or invite in a burst (`CH7`).
    public var additionsAtOnce: Int?
    /// The number of further users that one user can add or invite per minute.
    public var additionsPerMinute: Int?
    /// The number of users that a thread lists as those with the most replies (`T4`).
    public var mostRepliedUsers: Int?
    /// The maximum number of joined and invited members of an ordinary channel.
    public var membersPerChannel: Int?
    /// The maximum number of joined and invited members of a super channel.
    public var membersPerSuperChannel: Int?
    /// How clients show replies (`T2`).
    public var replyType: ReplyType?
    /// The destination of a tap on a reply (`T2`).
    public var threadReplySelect: ThreadReplySelect?
    /// Whether clients offer to mark messages as unread (`U4`).
    public var markAsUnread: Bool?
    /// Whether users may search for others (`SE2`).
    public var userSearch: Bool?

    /// Creates a value from its fields.
    public init() {}

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case historyVisibleToNewcomers = "history_visible_to_newcomers"
        case usersCreateChannels = "users_create_channels"
        case userChannelIDs = "user_channel_ids"
        case distinctByCustomType = "distinct_by_custom_type"
        case reactions
        case reactionsInSuperChannels = "reactions_in_super_channels"
        case reactionUsersShown = "reaction_users_shown"
        case presenceMembers = "presence_members"
        case presenceGraceMilliseconds = "presence_grace_ms"
        case channelsPerUser = "channels_per_user"
        case invitationsPerUser = "invitations_per_user"
        case channelsPerCreator = "channels_per_creator"
        case creationsAtOnce = "creations_at_once"
        case creationsPerMinute = "creations_per_minute"
        case additionsAtOnce = "additions_at_once"
        case additionsPerMinute = "additions_per_minute"
        case mostRepliedUsers = "most_replied_users"
        case membersPerChannel = "members_per_channel"
        case membersPerSuperChannel = "members_per_super_channel"
        case replyType = "reply_type"
        case threadReplySelect = "thread_reply_select"
        case markAsUnread = "mark_as_unread"
        case userSearch = "user_search"
    }
}

/// The settings that clients receive when they connect (`T2`, `U4`, `SE2`).
public struct ClientSettings: Codable, Hashable, Sendable {
    /// How clients show replies (`T2`).
    public var replyType: ReplyType
    /// The destination of a tap on a reply (`T2`).
    public var threadReplySelect: ThreadReplySelect
    /// Whether clients offer to mark messages as unread; a client's own configuration overrides it.
    public var markAsUnread: Bool
    /// Whether clients offer reactions.
    public var reactions: Bool
    /// Whether clients offer to search for users.
    public var userSearch: Bool

    /// Creates a value from its fields.
    public init(
        replyType: ReplyType = .quoteReply, threadReplySelect: ThreadReplySelect = .thread,
        markAsUnread: Bool = false, reactions: Bool = true, userSearch: Bool = false
    ) {
        self.replyType = replyType
        self.threadReplySelect = threadReplySelect
        self.markAsUnread = markAsUnread
        self.reactions = reactions
        self.userSearch = userSearch
    }

    enum CodingKeys: String, CodingKey {
        case reactions
        case replyType = "reply_type"
        case threadReplySelect = "thread_reply_select"
        case markAsUnread = "mark_as_unread"
        case userSearch = "user_search"
    }
}

/// The response to a settings request.
public struct SettingsResponse: Codable, Hashable, Sendable {
    /// All settings now in effect.
    public var settings: SettingValues
    /// Creates a value from its fields.
    public init(settings: SettingValues) { self.settings = settings }
}

/// Returns the settings in effect. Server only.
public struct GetSettings: Request {
    /// The response to `settings.get`.
    public typealias Response = SettingsResponse
    /// The method name.
    public static let method = "settings.get"
    /// Creates a `settings.get` request.
    public init() {}
}

/// Changes settings permanently: the changes survive a restart and override the configuration. Server only.
public struct UpdateSettings: Request {
    /// The response to `settings.update`.
    public typealias Response = SettingsResponse
    /// The method name.
    public static let method = "settings.update"
    /// The settings to change; absent ones keep their values.
    public var values: SettingValues

    /// Creates a `settings.update` request.
    public init(_ values: SettingValues) { self.values = values }

    /// Decodes the JSON form, in which the settings are fields of the request itself.
    public init(from decoder: any Decoder) throws { values = try SettingValues(from: decoder) }
    /// Encodes the settings to change.
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
