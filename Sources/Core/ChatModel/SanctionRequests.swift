/// An active ban or mute, as operators see it (`ME3`, `ME4`).
public struct Sanction: Codable, Hashable, Sendable {
    /// The `until` of a permanent sanction: the last second of the year 9999, in milliseconds since 1970.
    public static let endless: Int64 = 253_402_300_799_000

    /// Returns the `until` of a sanction.
    ///
    /// - Parameter seconds: The duration; nil for a permanent sanction.
    package static func end(after seconds: Int64?, from now: Int64) -> Int64 {
        seconds.map { now + $0 * 1_000 } ?? endless
    }

    /// The banned or muted user.
    public var user: User
    /// When the sanction ends, in milliseconds since 1970; `endless` for a permanent sanction.
    public var until: Int64
    /// The reason: at most 1,024 bytes; absent if there is none.
    public var description: String?
    /// When the sanction was imposed, in milliseconds since 1970.
    public var at: Int64
    /// The user who imposed it; absent for the server.
    public var by: UserID?

    /// Creates a value from its fields.
    public init(user: User, until: Int64, description: String? = nil, at: Int64, by: UserID? = nil) {
        self.user = user
        self.until = until
        self.description = description
        self.at = at
        self.by = by
    }
}

/// The member named in a request, after the command.
public struct MemberResponse: Codable, Hashable, Sendable {
    /// The member.
    public var member: Member
    /// Creates a value from its fields.
    public init(member: Member) { self.member = member }
}

private enum MemberKey: String, CodingKey {
    case channelID = "channel_id"
    case userID = "user_id"
}

/// A request whose only fields are a channel and one of its members.
public protocol MemberRequest: Request where Response == MemberResponse {
    /// The channel.
    var channelID: ChannelID { get }
    /// The user.
    var userID: UserID { get }
    /// Creates a request for a member of a channel.
    init(channelID: ChannelID, userID: UserID)
}

extension MemberRequest {
    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: MemberKey.self)
        self.init(
            channelID: try container.decode(ChannelID.self, forKey: .channelID),
            userID: try container.decode(UserID.self, forKey: .userID))
    }
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberKey.self)
        try container.encode(channelID, forKey: .channelID)
        try container.encode(userID, forKey: .userID)
    }
}

/// A request that bans or mutes one member of a channel.
public protocol SanctionRequest: Request where Response == MemberResponse {
    /// The channel.
    var channelID: ChannelID { get }
    /// The user.
    var userID: UserID { get }
    /// The duration in seconds; absent for a permanent sanction.
    var seconds: Int64? { get }
    /// The reason: at most 1,024 bytes.
    var description: String? { get }
}

/// Removes a user from the channel and keeps them out until the ban ends (`ME3`). Also keeps out a user who is not a
/// member, and is not told (`MO2`).
public struct BanMember: SanctionRequest {
    /// The method name.
    public static let method = "member.ban"
    typealias CodingKeys = SanctionKeys
    /// The channel.
    public var channelID: ChannelID
    /// The user.
    public var userID: UserID
    /// The duration in seconds; absent for a permanent ban.
    public var seconds: Int64?
    /// The reason: at most 1,024 bytes.
    public var description: String?

    /// Creates a `member.ban` request; nil arguments are omitted.
    public init(channelID: ChannelID, userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.channelID = channelID
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Prevents a user from sending until the mute ends; they can still read everything (`ME4`).
public struct MuteMember: SanctionRequest {
    /// The method name.
    public static let method = "member.mute"
    typealias CodingKeys = SanctionKeys
    /// The channel.
    public var channelID: ChannelID
    /// The user.
    public var userID: UserID
    /// The duration in seconds; absent for a permanent mute.
    public var seconds: Int64?
    /// The reason: at most 1,024 bytes.
    public var description: String?

    /// Creates a `member.mute` request; nil arguments are omitted.
    public init(channelID: ChannelID, userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.channelID = channelID
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Expels a user from the channel, or cancels their invitation, without a ban (`MO2`).
public struct RemoveMember: MemberRequest {
    /// The method name.
    public static let method = "member.remove"
    /// The channel.
    public var channelID: ChannelID
    /// The user.
    public var userID: UserID
    /// Creates a `member.remove` request.
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// Lifts a ban (`ME3`).
public struct UnbanMember: MemberRequest {
    /// The method name.
    public static let method = "member.unban"
    /// The channel.
    public var channelID: ChannelID
    /// The user.
    public var userID: UserID
    /// Creates a `member.unban` request.
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// Lifts a mute (`ME4`).
public struct UnmuteMember: MemberRequest {
    /// The method name.
    public static let method = "member.unmute"
    /// The channel.
    public var channelID: ChannelID
    /// The user.
    public var userID: UserID
    /// Creates a `member.unmute` request.
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// Lists the banned users, sorted by nickname; for operators only (`ME3`).
public struct ListBanned: PeoplePageRequest {
    /// The response to `member.list_banned`.
    public struct Response: Codable, Hashable, Sendable {
        /// The bans of this page, sorted by nickname.
        public var bans: [Sanction]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(bans: [Sanction], next: String? = nil) {
            self.bans = bans
            self.next = next
        }
    }
    /// The method name.
    public static let method = "member.list_banned"
    typealias CodingKeys = PeoplePageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `member.list_banned` request; nil arguments are omitted.
    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}

/// Lists the muted users, sorted by nickname; for operators only (`ME4`).
public struct ListMuted: PeoplePageRequest {
    /// The response to `member.list_muted`.
    public struct Response: Codable, Hashable, Sendable {
        /// The mutes of this page, sorted by nickname.
        public var mutes: [Sanction]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(mutes: [Sanction], next: String? = nil) {
            self.mutes = mutes
            self.next = next
        }
    }
    /// The method name.
    public static let method = "member.list_muted"
    typealias CodingKeys = PeoplePageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `member.list_muted` request; nil arguments are omitted.
    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}
