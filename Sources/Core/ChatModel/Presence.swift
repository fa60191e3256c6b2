/// A user's presence, as sent to the users who share a small channel with them (`US6`).
public struct Presence: Codable, Hashable, Sendable {
    public var userID: UserID
    /// Whether the user is online.
    public var online: Bool
    /// When the user's last connection ended, in milliseconds since 1970; absent if that is not known.
    public var lastSeenAt: Int64?

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
