/// Whether someone is there, as those are told who share a small channel with them (`US6`).
public struct Presence: Codable, Hashable, Sendable {
    public var userID: UserID
    /// Whether at least one of their connections lives.
    public var online: Bool
    /// When their last connection ended, in milliseconds since 1970; absent when that is not known.
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
