/// Creates a user, or changes the given fields of an existing one; absent fields keep their values (`US1`). Server
/// only.
public struct UpsertUser: Request {
    /// The response to `user.upsert`.
    public typealias Response = UserResponse
    /// The method name.
    public static let method = "user.upsert"
    /// The user's id; an unused id creates the user.
    public var id: UserID
    /// The displayed name: at most 80 characters.
    public var nickname: String?
    /// The URL of the profile image: at most 2,048 bytes.
    public var profileURL: String?
    /// Replaces the metadata: at most 50 keys of up to 128 bytes, with values of up to 1,024 bytes.
    public var metadata: [String: String]?
    /// Whether the user is an admin of all channels they are in (`RO1`).
    public var isAppAdmin: Bool?

    /// Creates a `user.upsert` request; nil arguments are omitted.
    public init(
        id: UserID, nickname: String? = nil, profileURL: String? = nil, metadata: [String: String]? = nil,
        isAppAdmin: Bool? = nil
    ) {
        self.isAppAdmin = isAppAdmin
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.metadata = metadata
    }

    enum CodingKeys: String, CodingKey {
        case id, nickname, metadata
        case profileURL = "profile_url"
        case isAppAdmin = "is_app_admin"
    }
}

/// Creates or changes up to 100 users, all of them or none. Server only.
///
/// Refused with 1032 if a user occurs twice. An error in one of the users names its index, counted from 0, as in
/// `users[3]`.
public struct UpsertUsers: Request {
    /// The response to `user.upsert_many`.
    public struct Response: Codable, Hashable, Sendable {
        /// The users, in the order of the request.
        public var users: [User]
        /// Creates a response from its fields.
        public init(users: [User]) { self.users = users }
    }
    /// The method name.
    public static let method = "user.upsert_many"
    /// The users to create or change; at least one.
    public var users: [UpsertUser]

    /// Creates a `user.upsert_many` request.
    public init(users: [UpsertUser]) { self.users = users }
}

/// Returns one user by id, or the caller if `user_id` is absent.
public struct GetUser: Request {
    /// The response to `user.get`.
    public typealias Response = UserResponse
    /// The method name.
    public static let method = "user.get"
    typealias CodingKeys = UserKeys
    /// The user; nil for the caller.
    public var userID: UserID?

    /// Creates a `user.get` request; nil arguments are omitted.
    public init(userID: UserID? = nil) { self.userID = userID }
}

/// Changes the given preferences of the calling user and returns all (`US3`, `L2`).
public struct UpdatePreferences: Request {
    /// The response to `user.preferences`.
    public struct Response: Codable, Hashable, Sendable {
        /// Whether an invited user joins immediately (`US3`).
        public var autoAcceptInvitations: Bool
        /// Which messages are pushed from channels that have no setting.
        public var push: PushPreference
        /// Creates a response from its fields.
        public init(autoAcceptInvitations: Bool, push: PushPreference = .all) {
            self.autoAcceptInvitations = autoAcceptInvitations
            self.push = push
        }
        enum CodingKeys: String, CodingKey {
            case push
            case autoAcceptInvitations = "auto_accept_invitations"
        }
    }
    /// The method name.
    public static let method = "user.preferences"
    /// Whether an invited user joins immediately (`US3`).
    public var autoAcceptInvitations: Bool?
    /// Which messages are pushed from channels that have no setting.
    public var push: PushPreference?

    /// Creates a `user.preferences` request; nil arguments are omitted.
    public init(autoAcceptInvitations: Bool? = nil, push: PushPreference? = nil) {
        self.autoAcceptInvitations = autoAcceptInvitations
        self.push = push
    }

    enum CodingKeys: String, CodingKey {
        case push
        case autoAcceptInvitations = "auto_accept_invitations"
    }
}
