/// A ban or a mute that is in force, as operators see it (`ME3`, `ME4`).
public struct Sanction: Codable, Hashable, Sendable {
    /// The `until` of what has no end: the last second of the year 9999, in milliseconds since 1970.
    public static let endless: Int64 = 253_402_300_799_000

    public var user: User
    /// Milliseconds since 1970; `endless` until it is lifted.
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

/// One person, as they are after a command that named them.
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

/// A request that keeps one person of a channel from something for a time.
public protocol SanctionRequest: Request where Response == MemberResponse {
    var channelID: ChannelID { get }
    var userID: UserID { get }
    /// Absent: until it is lifted.
    var seconds: Int64? { get }
    var description: String? { get }
}

/// Expels someone and keeps them out until the time is over (`ME3`).
public struct BanMember: SanctionRequest {
    public static let method = "member.ban"
    typealias CodingKeys = SanctionKeys
    public var channelID: ChannelID
    public var userID: UserID
    /// Absent: until unbanned.
    public var seconds: Int64?
    public var description: String?

    public init(channelID: ChannelID, userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.channelID = channelID
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Keeps someone from sending until the time is over; they see everything (`ME4`).
public struct MuteMember: SanctionRequest {
    public static let method = "member.mute"
    typealias CodingKeys = SanctionKeys
    public var channelID: ChannelID
    public var userID: UserID
    /// Absent: until unmuted.
    public var seconds: Int64?
    public var description: String?

    public init(channelID: ChannelID, userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.channelID = channelID
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// `ME3`
public struct UnbanMember: MemberRequest {
    public static let method = "member.unban"
    public var channelID: ChannelID
    public var userID: UserID
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// `ME4`
public struct UnmuteMember: MemberRequest {
    public static let method = "member.unmute"
    public var channelID: ChannelID
    public var userID: UserID
    public init(channelID: ChannelID, userID: UserID) {
        self.channelID = channelID
        self.userID = userID
    }
}

/// Who is banned, by nickname; for operators only (`ME3`).
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

/// Who is muted, by nickname; for operators only (`ME4`).
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
