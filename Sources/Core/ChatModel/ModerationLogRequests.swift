/// An entry of a moderation log (`MO6`).
public struct ModerationEntry: Codable, Hashable, Sendable {
    /// What was done: the command, such as `member.mute`, or `message.delete` for a message of someone else.
    public var action: String
    /// When, in milliseconds since 1970.
    public var at: Int64
    /// Who did it; absent for the server.
    public var by: UserID?
    /// The channel; absent for an action in the whole app.
    public var channelID: ChannelID?
    /// The user concerned; absent if none is.
    public var userID: UserID?
    /// The message concerned; absent if none is.
    public var messageID: MessageID?
    /// The report concerned; absent if none is.
    public var reportID: String?
    /// The end of a ban or mute, in milliseconds since 1970.
    public var until: Int64?
    /// The reason, the note about a report, or what was changed: the ids of text rules, the names of settings and roles,
    /// or `slow_mode_seconds` and its value. At most 1,024 bytes; absent if there is none.
    public var description: String?

    /// Creates an entry without optional fields.
    public init(action: String, at: Int64, by: UserID? = nil) {
        self.action = action
        self.at = at
        self.by = by
    }

    enum CodingKeys: String, CodingKey {
        case action, at, by, until, description
        case channelID = "channel_id"
        case userID = "user_id"
        case messageID = "message_id"
        case reportID = "report_id"
    }
}

/// A page of a moderation log.
public struct ModerationLogResponse: Codable, Hashable, Sendable {
    /// The entries, newest first.
    public var entries: [ModerationEntry]
    /// The token of the next page; absent on the last page.
    public var next: String?

    /// Creates a value from its fields.
    public init(entries: [ModerationEntry], next: String? = nil) {
        self.entries = entries
        self.next = next
    }
}

/// Lists who moderated whom in a channel, newest first; the last 500 actions are kept (`MO6`). For operators and the
/// server.
public struct ListMemberModeration: Request {
    /// The response to `member.moderation_log`.
    public typealias Response = ModerationLogResponse
    /// The method name.
    public static let method = "member.moderation_log"
    typealias CodingKeys = PeoplePageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `member.moderation_log` request; nil arguments are omitted.
    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}

/// Lists what the server moderated, in the whole app and in channels, newest first; the last 10,000 actions are kept
/// (`MO6`). Server only.
public struct ListAppModeration: Request {
    /// The response to `app.moderation_log`.
    public typealias Response = ModerationLogResponse
    /// The method name.
    public static let method = "app.moderation_log"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates an `app.moderation_log` request; nil arguments are omitted.
    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}
