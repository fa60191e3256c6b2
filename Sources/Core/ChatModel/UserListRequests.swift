/// Lists the existing users among the given ids, by nickname (`US5`).
public struct ListUsers: Request {
    /// The server's answer to `user.list`.
    public typealias Response = UsersResponse
    /// The name of the method on the wire.
    public static let method = "user.list"
    /// At least one.
    public var userIDs: [UserID]
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `user.list` request; a nil argument leaves its field out.
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
    /// The server's answer to `user.list_all`.
    public typealias Response = UsersResponse
    /// The name of the method on the wire.
    public static let method = "user.list_all"
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// Ignores case.
    public var nicknamePrefix: String?

    /// Creates a `user.list_all` request; a nil argument leaves its field out.
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

/// A page of a list of users.
public struct UsersResponse: Codable, Hashable, Sendable {
    /// The users of this page, by nickname.
    public var users: [User]
    /// Absent on the last page.
    public var next: String?

    /// Creates a value from its fields.
    public init(users: [User], next: String? = nil) {
        self.users = users
        self.next = next
    }
}
