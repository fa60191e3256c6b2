/// A user as others see them.
public struct User: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: UserID
    /// The displayed name: at most 80 characters.
    public var nickname: String
    /// The URL of the profile image; absent if unset.
    public var profileURL: String?
    /// The app's key-value pairs; absent where they are omitted.
    public var metadata: [String: String]?
    /// Whether the user is active, that is, not deactivated (`US2`); absent where the user only accompanies another
    /// object.
    public var isActive: Bool?
    /// True for a guest, a user without an account; absent for everyone else.
    public var isGuest: Bool?
    /// Whether the user is online (`US6`); only in responses about a user.
    public var online: Bool?
    /// When the user's last connection ended, in milliseconds since 1970; absent if unknown.
    public var lastSeenAt: Int64?

    /// Creates a value from its fields.
    public init(
        id: UserID, nickname: String, profileURL: String? = nil, metadata: [String: String]? = nil,
        isActive: Bool? = nil, online: Bool? = nil, lastSeenAt: Int64? = nil
    ) {
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.metadata = metadata
        self.isActive = isActive
        isGuest = id.isGuest ? true : nil
        self.online = online
        self.lastSeenAt = lastSeenAt
    }

    enum CodingKeys: String, CodingKey {
        case id, nickname, metadata, online
        case profileURL = "profile_url"
        case isActive = "is_active"
        case isGuest = "is_guest"
        case lastSeenAt = "last_seen_at"
    }
}

/// A user's presence, as sent to users who share a small channel with them (`US6`).
public struct Presence: Codable, Hashable, Sendable {
    /// The user.
    public var userID: UserID
    /// Whether the user is online.
    public var online: Bool
    /// When the user's last connection ended, in milliseconds since 1970; absent if unknown.
    public var lastSeenAt: Int64?

    /// Creates a value from its fields.
    public init(userID: UserID, online: Bool, lastSeenAt: Int64? = nil) {
        self.userID = userID
        self.online = online
        self.lastSeenAt = lastSeenAt
    }

    enum CodingKeys: String, CodingKey {
        case online
        case userID = "user_id"
        case lastSeenAt = "last_seen_at"
    }
}
