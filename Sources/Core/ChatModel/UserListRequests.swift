/// Lists the existing users among the given ids, sorted by nickname (`US5`).
public struct ListUsers: Request {
    /// The response to `user.list`.
    public typealias Response = UsersResponse
    /// The method name.
    public static let method = "user.list"
    /// The ids to look up; at least one.
    public var userIDs: [UserID]
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `user.list` request; nil arguments are omitted.
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

/// Lists all users of the app, sorted by nickname, including deactivated ones (`US5`). Server only.
public struct ListAllUsers: Request {
    /// The response to `user.list_all`.
    public typealias Response = UsersResponse
    /// The method name.
    public static let method = "user.list_all"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The prefix of the nickname, ignoring case.
    public var nicknamePrefix: String?

    /// Creates a `user.list_all` request; nil arguments are omitted.
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

/// Searches for active users by the beginning of their nickname, ignoring case, or by their whole id (`SE2`). Users need
/// the setting `chat.user_search`, and do not find those who have blocked them.
public struct SearchUsers: Request {
    /// The response to `user.search`.
    public typealias Response = UsersResponse
    /// The method name.
    public static let method = "user.search"
    /// The beginning of the nickname, or the id: 1–80 characters.
    public var query: String
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `user.search` request; nil arguments are omitted.
    public init(query: String, limit: Int? = nil, next: String? = nil) {
        self.query = query
        self.limit = limit
        self.next = next
    }
}

/// A page of a list of users.
public struct UsersResponse: Codable, Hashable, Sendable {
    /// The users of this page, sorted by nickname.
    public var users: [User]
    /// The token of the next page; absent on the last page.
    public var next: String?

    /// Creates a value from its fields.
    public init(users: [User], next: String? = nil) {
        self.users = users
        self.next = next
    }
}
