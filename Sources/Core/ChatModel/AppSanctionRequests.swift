/// A request that bans or mutes a user everywhere.
public protocol AppSanctionRequest: Request where Response == AppSanctionResponse {
    /// The user.
    var userID: UserID { get }
    /// The duration in seconds; absent for a permanent sanction.
    var seconds: Int64? { get }
    /// The reason: at most 1,024 bytes.
    var description: String? { get }
}

/// The ban or mute of a user after the command.
public struct AppSanctionResponse: Codable, Hashable, Sendable {
    /// The sanction.
    public var sanction: Sanction
    /// Creates a value from its fields.
    public init(sanction: Sanction) { self.sanction = sanction }
}

/// Bans a user from the whole app: closes their connections, and refuses everything until the ban ends (`MO2`). Their
/// memberships stay. Server only.
public struct BanUser: AppSanctionRequest {
    /// The method name.
    public static let method = "app.ban"
    typealias CodingKeys = AppSanctionKeys
    /// The user.
    public var userID: UserID
    /// The duration in seconds; absent for a permanent ban.
    public var seconds: Int64?
    /// The reason: at most 1,024 bytes. The user sees it in `user.banned`.
    public var description: String?

    /// Creates an `app.ban` request; nil arguments are omitted.
    public init(userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Prevents a user from sending anywhere until the mute ends, as `member.mute` does in one channel (`MO2`). Server only.
public struct MuteUser: AppSanctionRequest {
    /// The method name.
    public static let method = "app.mute"
    typealias CodingKeys = AppSanctionKeys
    /// The user.
    public var userID: UserID
    /// The duration in seconds; absent for a permanent mute.
    public var seconds: Int64?
    /// The reason: at most 1,024 bytes.
    public var description: String?

    /// Creates an `app.mute` request; nil arguments are omitted.
    public init(userID: UserID, seconds: Int64? = nil, description: String? = nil) {
        self.userID = userID
        self.seconds = seconds
        self.description = description
    }
}

/// Lifts a ban from the whole app (`MO2`). Server only.
public struct UnbanUser: UserRequest {
    /// The method name.
    public static let method = "app.unban"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates an `app.unban` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Lifts a mute in the whole app (`MO2`). Server only.
public struct UnmuteUser: UserRequest {
    /// The method name.
    public static let method = "app.unmute"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates an `app.unmute` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Lists the users banned from the whole app, sorted by nickname (`MO2`). Server only.
public struct ListBannedUsers: Request {
    /// The response to `app.list_banned`.
    public typealias Response = ListBanned.Response
    /// The method name.
    public static let method = "app.list_banned"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates an `app.list_banned` request; nil arguments are omitted.
    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}

/// Lists the users muted in the whole app, sorted by nickname (`MO2`). Server only.
public struct ListMutedUsers: Request {
    /// The response to `app.list_muted`.
    public typealias Response = ListMuted.Response
    /// The method name.
    public static let method = "app.list_muted"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates an `app.list_muted` request; nil arguments are omitted.
    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}
