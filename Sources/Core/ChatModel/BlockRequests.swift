/// A user whom the caller has blocked (`MO1`).
public struct BlockedUser: Codable, Hashable, Sendable {
    /// The blocked user.
    public var user: User
    /// When the caller blocked them, in milliseconds since 1970.
    public var at: Int64

    /// Creates a value from its fields.
    public init(user: User, at: Int64) {
        self.user = user
        self.at = at
    }
}

/// A change of the user's own list of blocked users, in `block.changed` (`MO1`).
public struct BlockChange: Codable, Hashable, Sendable {
    /// The other user.
    public var user: User
    /// Whether the user blocks them from now on.
    public var isBlocked: Bool

    /// Creates a value from its fields.
    public init(user: User, isBlocked: Bool) {
        self.user = user
        self.isBlocked = isBlocked
    }

    enum CodingKeys: String, CodingKey {
        case user
        case isBlocked = "is_blocked"
    }
}

/// The state of the caller's relation to a user after the command.
public struct BlockResponse: Codable, Hashable, Sendable {
    /// The relation.
    public var block: BlockChange
    /// Creates a value from its fields.
    public init(block: BlockChange) { self.block = block }
}

/// Blocks another user (`MO1`): they can neither invite, mention nor push the caller, see neither presence nor typing, and
/// can do nothing in the distinct channel of the two that the caller would see. At most 10,000 users.
public struct BlockUser: Request {
    /// The response to `user.block`.
    public typealias Response = BlockResponse
    /// The method name.
    public static let method = "user.block"
    typealias CodingKeys = UserKeys
    /// The user to block.
    public var userID: UserID

    /// Creates a `user.block` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Ends a block (`MO1`).
public struct UnblockUser: Request {
    /// The response to `user.unblock`.
    public typealias Response = BlockResponse
    /// The method name.
    public static let method = "user.unblock"
    typealias CodingKeys = UserKeys
    /// The blocked user.
    public var userID: UserID

    /// Creates a `user.unblock` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Lists the users whom the caller has blocked, sorted by nickname (`MO1`).
public struct ListBlocked: Request {
    /// The response to `user.list_blocked`.
    public struct Response: Codable, Hashable, Sendable {
        /// The blocked users of this page, sorted by nickname.
        public var blocked: [BlockedUser]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(blocked: [BlockedUser], next: String? = nil) {
            self.blocked = blocked
            self.next = next
        }
    }
    /// The method name.
    public static let method = "user.list_blocked"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `user.list_blocked` request; nil arguments are omitted.
    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}
