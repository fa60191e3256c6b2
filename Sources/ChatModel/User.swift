/// A person as others see them.
public struct User: Codable, Hashable, Sendable {
    public var id: UserID
    public var nickname: String
    public var profileURL: String?
    public var metadata: [String: String]?
    /// False for someone deactivated (`US2`); absent where a person only stands beside something else.
    public var isActive: Bool?

    public init(
        id: UserID, nickname: String, profileURL: String? = nil, metadata: [String: String]? = nil,
        isActive: Bool? = nil
    ) {
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.metadata = metadata
        self.isActive = isActive
    }

    enum CodingKeys: String, CodingKey {
        case id, nickname, metadata
        case profileURL = "profile_url"
        case isActive = "is_active"
    }
}
