/// Creates a user or changes what is given; what is absent stays (`US1`). Server only.
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
/// Refused with 1032 when a user is named twice; what is wrong with one names its place, as `users[3]`, from 0.
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

/// One user by id; oneself when `user_id` is absent.
public struct GetUser: Request {
    public typealias Response = UserResponse
    public static let method = "user.get"
    typealias CodingKeys = UserKeys
    public var userID: UserID?

    public init(userID: UserID? = nil) { self.userID = userID }
}

/// Changes and tells the asking user's preferences (`US3`, `L2`); without fields it only tells them.
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
    /// What is pushed of all channels that do not say otherwise.
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
