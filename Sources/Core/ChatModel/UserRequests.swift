/// Creates a user or changes the given fields; absent ones stay (`US1`). Server only.
public struct UpsertUser: Request {
    /// The server's answer to `user.upsert`.
    public typealias Response = UserResponse
    /// The name of the method on the wire.
    public static let method = "user.upsert"
    /// The user's id; created if it is unused.
    public var id: UserID
    /// The displayed name: at most 80 characters.
    public var nickname: String?
    /// The URL of the profile image: at most 2,048 bytes.
    public var profileURL: String?
    /// Replaces the metadata: at most 50 keys of up to 128 bytes, with values of up to 1,024 bytes.
    public var metadata: [String: String]?

    /// Creates a `user.upsert` request; a nil argument leaves its field out.
    public init(
        id: UserID, nickname: String? = nil, profileURL: String? = nil, metadata: [String: String]? = nil
    ) {
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.metadata = metadata
    }

    enum CodingKeys: String, CodingKey {
        case id, nickname, metadata
        case profileURL = "profile_url"
    }
}

/// Does the same for up to 100 users, all of them or none. Server only.
///
/// Refused with 1032 if a user is named twice; an error in one of the users names its index, as `users[3]`, from 0.
public struct UpsertUsers: Request {
    /// The server's answer to `user.upsert_many`.
    public struct Response: Codable, Hashable, Sendable {
        /// In the order of the request.
        public var users: [User]
        /// Creates a response from its fields.
        public init(users: [User]) { self.users = users }
    }
    /// The name of the method on the wire.
    public static let method = "user.upsert_many"
    /// At least one.
    public var users: [UpsertUser]

    /// Creates a `user.upsert_many` request.
    public init(users: [UpsertUser]) { self.users = users }
}

/// Returns one user by id; the caller if `user_id` is absent.
public struct GetUser: Request {
    /// The server's answer to `user.get`.
    public typealias Response = UserResponse
    /// The name of the method on the wire.
    public static let method = "user.get"
    typealias CodingKeys = UserKeys
    /// The user; nil for the caller.
    public var userID: UserID?

    /// Creates a `user.get` request; a nil argument leaves its field out.
    public init(userID: UserID? = nil) { self.userID = userID }
}

/// Changes and returns the calling user's preferences (`US3`, `L2`); without fields it only returns them.
public struct UpdatePreferences: Request {
    /// The server's answer to `user.preferences`.
    public struct Response: Codable, Hashable, Sendable {
        /// Whether the user joins channels at once when invited (`US3`).
        public var autoAcceptInvitations: Bool
        /// Which messages are pushed, for all channels without a setting of their own.
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
    /// The name of the method on the wire.
    public static let method = "user.preferences"
    /// Whether the user joins channels at once when invited (`US3`).
    public var autoAcceptInvitations: Bool?
    /// Which messages are pushed, for all channels without a setting of their own.
    public var push: PushPreference?

    /// Creates a `user.preferences` request; a nil argument leaves its field out.
    public init(autoAcceptInvitations: Bool? = nil, push: PushPreference? = nil) {
        self.autoAcceptInvitations = autoAcceptInvitations
        self.push = push
    }

    enum CodingKeys: String, CodingKey {
        case push
        case autoAcceptInvitations = "auto_accept_invitations"
    }
}
