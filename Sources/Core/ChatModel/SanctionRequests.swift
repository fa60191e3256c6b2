/// An active ban or mute, as operators see it (`ME3`, `ME4`).
public struct Sanction: Codable, Hashable, Sendable {
    /// The `until` of a sanction without an end: the last second of the year 9999, in milliseconds since 1970.
    public static let endless: Int64 = 253_402_300_799_000

    public var user: User
    /// Milliseconds since 1970; `endless` if it lasts until it is lifted.
    public var until: Int64
    public var description: String?
    /// When it was imposed; milliseconds since 1970.
    public var at: Int64
    /// Absent for the server.
    public var by: UserID?

    public init(user: User, until: Int64, description: String? = nil, at: Int64, by: UserID? = nil) {
        self.user = user
        self.until = until
        self.description = description
        self.at = at
        self.by = by
    }
}

/// The named person, after the command.
public struct MemberResponse: Codable, Hashable, Sendable {
    public var member: Member
    public init(member: Member) { self.member = member }
}

private enum MemberKey: String, CodingKey {
    case channelID = "channel_id"
    case userID = "user_id"
}

/// A request that names one person of a channel and nothing else.
public protocol MemberRequest: Request where Response == MemberResponse {
    var channelID: ChannelID { get }
    var userID: UserID { get }
    init(channelID: ChannelID, userID: UserID)
}

extension MemberRequest {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: MemberKey.self)
        self.init(
            channelID: try container.decode(ChannelID.self, forKey: .channelID),
            userID: try container.decode(UserID.self, forKey: .userID))
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberKey.self)
        try container.encode(channelID, forKey: .channelID)
        try container.encode(userID, forKey: .userID)
    }
}

/// A request that bans or mutes one person of a channel for a time.
public protocol SanctionRequest: Request where Response == MemberResponse {
    var channelID: ChannelID { get }
    var userID: UserID { get }
    /// If absent, the sanction lasts until it is lifted.
    var seconds: Int64? { get }
    var description: String? { get }
}

/// Removes a user from the channel and keeps them out until the time is over (`ME3`).
public struct BanMember: SanctionRequest {
    public static let method = "member.ban"
    typealias CodingKeys = SanctionKeys
    public var channelID: ChannelID
    public var userID: UserID
    /// If absent, the ban lasts until the user is unbanned.
    public var seconds: Int64?
    public var description: String?

    public init(channelID: ChannelID, userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.channelID = channelID
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Keeps a user from sending until the time is over; they can still read everything (`ME4`).
public struct MuteMember: SanctionRequest {
    public static let method = "member.mute"
    typealias CodingKeys = SanctionKeys
    public var channelID: ChannelID
    public var userID: UserID
    /// If absent, the mute lasts until the user is unmuted.
    public var seconds: Int64?
    public var description: String?

    public init(channelID: ChannelID, userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.channelID = channelID
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Lifts a ban (`ME3`).
public struct UnbanMember: MemberRequest {
    public static let method = "member.unban"
    public var channelID: ChannelID
    public var userID: UserID
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// Lifts a mute (`ME4`).
public struct UnmuteMember: MemberRequest {
    public static let method = "member.unmute"
    public var channelID: ChannelID
    public var userID: UserID
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// Lists banned users by nickname; for operators only (`ME3`).
public struct ListBanned: PeoplePageRequest {
    public struct Response: Codable, Hashable, Sendable {
        public var bans: [Sanction]
        /// Absent on the last page.
        public var next: String?
        public init(bans: [Sanction], next: String? = nil) {
            self.bans = bans
            self.next = next
        }
    }
    public static let method = "member.list_banned"
    typealias CodingKeys = PeoplePageKeys
    public var channelID: ChannelID
    public var limit: Int?
    public var next: String?

    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}

/// Lists muted users by nickname; for operators only (`ME4`).
public struct ListMuted: PeoplePageRequest {
    public struct Response: Codable, Hashable, Sendable {
        public var mutes: [Sanction]
        /// Absent on the last page.
        public var next: String?
        public init(mutes: [Sanction], next: String? = nil) {
            self.mutes = mutes
            self.next = next
        }
    }
    public static let method = "member.list_muted"
    typealias CodingKeys = PeoplePageKeys
    public var channelID: ChannelID
    public var limit: Int?
    public var next: String?

    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}
