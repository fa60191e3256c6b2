/// Lists the existing users among the given ids, by nickname (`US5`).
public struct ListUsers: Request {
    public typealias Response = UsersResponse
    public static let method = "user.list"
    /// At least one.
    public var userIDs: [UserID]
    public var limit: Int?
    public var next: String?

    public init(userIDs: [UserID], limit: Int? = nil, next: String? = nil) {
        self.userIDs = userIDs
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case limit, next
        case userIDs = "user_ids"
    }
}

/// Lists all users of the app by nickname, including deactivated ones (`US5`). Server only.
public struct ListAllUsers: Request {
    public typealias Response = UsersResponse
    public static let method = "user.list_all"
    public var limit: Int?
    public var next: String?
    /// Ignores case.
    public var nicknamePrefix: String?

    public init(limit: Int? = nil, next: String? = nil, nicknamePrefix: String? = nil) {
        self.limit = limit
        self.next = next
        self.nicknamePrefix = nicknamePrefix
    }

    enum CodingKeys: String, CodingKey {
        case limit, next
        case nicknamePrefix = "nickname_prefix"
    }
}

public struct UsersResponse: Codable, Hashable, Sendable {
    public var users: [User]
    /// Absent on the last page.
    public var next: String?

    public init(users: [User], next: String? = nil) {
        self.users = users
        self.next = next
    }
}
