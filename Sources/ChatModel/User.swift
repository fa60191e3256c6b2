/// A person as others see them.
public struct User: Codable, Hashable, Sendable {
    public var id: UserID
    public var nickname: String
    public var profileURL: String?
    public var metadata: [String: String]?

    public init(
        id: UserID, nickname: String, profileURL: String? = nil, metadata: [String: String]? = nil
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
