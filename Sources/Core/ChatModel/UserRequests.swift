/// Creates a user or changes the given fields; absent ones stay (`US1`). Server only.
public struct UpsertUser: Request {
    public typealias Response = UserResponse
    public static let method = "user.upsert"
    public var id: UserID
    public var nickname: String?
    public var profileURL: String?
    public var metadata: [String: String]?

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
    public struct Response: Codable, Hashable, Sendable {
        /// In the order of the request.
        public var users: [User]
        public init(users: [User]) { self.users = users }
    }
    public static let method = "user.upsert_many"
    /// At least one.
    public var users: [UpsertUser]

    public init(users: [UpsertUser]) { self.users = users }
}

/// Returns one user by id; the caller if `user_id` is absent.
public struct GetUser: Request {
    public typealias Response = UserResponse
    public static let method = "user.get"
    typealias CodingKeys = UserKeys
    public var userID: UserID?

    public init(userID: UserID? = nil) { self.userID = userID }
}

/// Changes and returns the calling user's preferences (`US3`, `L2`); without fields it only returns them.
public struct UpdatePreferences: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var autoAcceptInvitations: Bool
        public var push: PushPreference
        public init(autoAcceptInvitations: Bool, push: PushPreference = .all) {
            self.autoAcceptInvitations = autoAcceptInvitations
            self.push = push
        }
        enum CodingKeys: String, CodingKey {
            case push
            case autoAcceptInvitations = "auto_accept_invitations"
        }
    }
    public static let method = "user.preferences"
    public var autoAcceptInvitations: Bool?
    /// Which messages are pushed, for all channels without a setting of their own.
    public var push: PushPreference?

    public init(autoAcceptInvitations: Bool? = nil, push: PushPreference? = nil) {
        self.autoAcceptInvitations = autoAcceptInvitations
        self.push = push
    }

    enum CodingKeys: String, CodingKey {
        case push
        case autoAcceptInvitations = "auto_accept_invitations"
    }
}
