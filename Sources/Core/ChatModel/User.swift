/// A user as others see them.
public struct User: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: UserID
    /// The displayed name: at most 80 characters. Absent in JSON, and empty here, for a deleted user.
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
    /// True for a user who was deleted (`PR1`); absent for everyone else.
    public var isDeleted: Bool?
    /// True for an admin of all channels (`RO1`); absent for everyone else, and where the user only accompanies another
    /// object.
    public var isAppAdmin: Bool?
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
        isDeleted = id.isDeleted ? true : nil
        self.online = online
        self.lastSeenAt = lastSeenAt
    }

    enum CodingKeys: String, CodingKey {
        case id, nickname, metadata, online
        case profileURL = "profile_url"
        case isActive = "is_active"
        case isGuest = "is_guest"
        case isDeleted = "is_deleted"
        case isAppAdmin = "is_app_admin"
        case lastSeenAt = "last_seen_at"
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(UserID.self, forKey: .id)
        nickname = try fields.decodeIfPresent(String.self, forKey: .nickname) ?? ""
        profileURL = try fields.decodeIfPresent(String.self, forKey: .profileURL)
        metadata = try fields.decodeIfPresent([String: String].self, forKey: .metadata)
        isActive = try fields.decodeIfPresent(Bool.self, forKey: .isActive)
        isGuest = try fields.decodeIfPresent(Bool.self, forKey: .isGuest)
        isDeleted = try fields.decodeIfPresent(Bool.self, forKey: .isDeleted)
        isAppAdmin = try fields.decodeIfPresent(Bool.self, forKey: .isAppAdmin)
        online = try fields.decodeIfPresent(Bool.self, forKey: .online)
        lastSeenAt = try fields.decodeIfPresent(Int64.self, forKey: .lastSeenAt)
    }

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        if isDeleted == nil { try fields.encode(nickname, forKey: .nickname) }
        try fields.encodeIfPresent(profileURL, forKey: .profileURL)
        try fields.encodeIfPresent(metadata, forKey: .metadata)
        try fields.encodeIfPresent(isActive, forKey: .isActive)
        try fields.encodeIfPresent(isGuest, forKey: .isGuest)
        try fields.encodeIfPresent(isDeleted, forKey: .isDeleted)
        try fields.encodeIfPresent(isAppAdmin, forKey: .isAppAdmin)
        try fields.encodeIfPresent(online, forKey: .online)
        try fields.encodeIfPresent(lastSeenAt, forKey: .lastSeenAt)
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
