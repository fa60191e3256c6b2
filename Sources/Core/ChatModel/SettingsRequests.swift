/// How clients show replies (`T2`).
public enum ReplyType: String, Codable, Sendable, CaseIterable {
    /// Not at all.
    case none
    /// In the channel, quoting their parent.
    case quoteReply = "quote_reply"
    /// In threads.
    case thread
}

/// Where a tap on a reply leads (`T2`).
public enum ThreadReplySelect: String, Codable, Sendable, CaseIterable {
    /// To the parent in the channel, or to the thread.
    case parent, thread
}

/// Which ids users may choose for the channels that they create (`CH6`).
public enum UserChannelIDs: String, Codable, Sendable, CaseIterable {
    /// Any unused id.
    case free
    /// Ids that begin with `~`; the server's channels cannot use these.
    case prefix
    /// None: the server generates the id.
    case off
}

/// Settings of the chat that can be changed at run time, by their names in the configuration file.
///
/// In a change, absent settings keep their values; in a response, all are present.
public struct SettingValues: Codable, Hashable, Sendable {
    /// Whether new members see older messages.
    public var historyVisibleToNewcomers: Bool?
    /// Whether users may create channels, or only server keys.
    public var usersCreateChannels: Bool?
    /// Which ids users may choose for their channels (`CH6`).
    public var userChannelIDs: UserChannelIDs?
    /// Whether distinct channels of the same users differ by custom type (`CH3`).
    public var distinctByCustomType: Bool?
    /// Whether reactions can be added and removed.
    public var reactions: Bool?
    /// The same for super channels.
    public var reactionsInSuperChannels: Bool?
    /// How many users are listed per key in a message's reactions.
    public var reactionUsersShown: Int?
    /// The largest number of members at which a channel receives typing, presence and profile changes (`US6`).
    public var presenceMembers: Int?
    /// How long users still count as online after their last connection closed, in milliseconds (`US6`).
    public var presenceGraceMilliseconds: Int?
    /// The largest number of channels that one user may be in (`US4`).
    public var channelsPerUser: Int?
    /// The largest number of open invitations of one user (`US4`).
    public var invitationsPerUser: Int?
    /// The largest number of existing channels created by one user (`CH6`).
    public var channelsPerCreator: Int?
    /// How many channels one user can create in a burst.
    public var creationsAtOnce: Int?
    /// How many more channels one user may create each minute.
    public var creationsPerMinute: Int?
    /// How many users one user can add or invite in a burst (`CH7`).
    public var additionsAtOnce: Int?
    /// How many more users one user may add or invite each minute.
    public var additionsPerMinute: Int?
    /// How many of the users with the most replies a thread lists (`T4`).
    public var mostRepliedUsers: Int?
    /// The largest number of joined and invited members of an ordinary channel.
    public var membersPerChannel: Int?
    /// The same for a super channel.
    public var membersPerSuperChannel: Int?
    /// How clients show replies (`T2`).
    public var replyType: ReplyType?
    /// Where a tap on a reply leads (`T2`).
    public var threadReplySelect: ThreadReplySelect?
    /// Whether clients offer to mark messages as unread (`U4`).
    public var markAsUnread: Bool?

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
    }
}

/// The settings that clients receive when they connect (`T2`, `U4`).
public struct ClientSettings: Codable, Hashable, Sendable {
    /// How clients show replies (`T2`).
    public var replyType: ReplyType
    /// Where a tap on a reply leads (`T2`).
    public var threadReplySelect: ThreadReplySelect
    /// Whether clients offer to mark messages as unread; a client's own configuration overrides it.
    public var markAsUnread: Bool
    /// Whether clients offer reactions.
    public var reactions: Bool

    /// Creates a value from its fields.
    public init(
        replyType: ReplyType = .quoteReply, threadReplySelect: ThreadReplySelect = .thread,
        markAsUnread: Bool = false, reactions: Bool = true
    ) {
        self.replyType = replyType
        self.threadReplySelect = threadReplySelect
        self.markAsUnread = markAsUnread
        self.reactions = reactions
    }

    enum CodingKeys: String, CodingKey {
        case reactions
        case replyType = "reply_type"
        case threadReplySelect = "thread_reply_select"
        case markAsUnread = "mark_as_unread"
    }
}

/// The response to a settings request.
public struct SettingsResponse: Codable, Hashable, Sendable {
    /// All settings now in force.
    public var settings: SettingValues
    /// Creates a value from its fields.
    public init(settings: SettingValues) { self.settings = settings }
}

/// Returns the settings in force. Server only.
public struct GetSettings: Request {
    /// The server's answer to `settings.get`.
    public typealias Response = SettingsResponse
    /// The name of the method on the wire.
    public static let method = "settings.get"
    /// Creates a `settings.get` request.
    public init() {}
}

/// Changes settings permanently: changes survive a restart and override the configuration. Server only.
public struct UpdateSettings: Request {
    /// The server's answer to `settings.update`.
    public typealias Response = SettingsResponse
    /// The name of the method on the wire.
    public static let method = "settings.update"
    /// The settings to change; absent ones keep their values.
    public var values: SettingValues

    /// Creates a request that changes these settings.
    public init(_ values: SettingValues) { self.values = values }

    /// Decodes the JSON form, in which the values are fields of the request itself.
    public init(from decoder: any Decoder) throws { values = try SettingValues(from: decoder) }
    /// Encodes the changed settings.
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
