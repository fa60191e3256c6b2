/// Lists the people in a channel, both joined and invited (`ME1`).
public struct ListMembers: Request {
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// The default.
        case nickname
        case operatorThenNickname = "operator_then_nickname"
    }
    public enum OperatorFilter: String, Codable, Sendable, CaseIterable {
        /// The default.
        case all
        case `operator`
        case nonOperator = "non_operator"
    }
    public struct Response: Codable, Hashable, Sendable {
        public var members: [Member]
        /// Absent on the last page.
        public var next: String?
        public init(members: [Member], next: String? = nil) {
            self.members = members
            self.next = next
        }
    }
    public static let method = "member.list"
    public var channelID: ChannelID
    public var limit: Int?
    public var next: String?
    public var order: Order?
    public var operatorFilter: OperatorFilter?
    /// True for muted members only, false for all others.
    public var muted: Bool?
    /// Ignores case.
    public var nicknamePrefix: String?

    public init(
        channelID: ChannelID, limit: Int? = nil, next: String? = nil, order: Order? = nil,
        operatorFilter: OperatorFilter? = nil, muted: Bool? = nil, nicknamePrefix: String? = nil
    ) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
        self.order = order
        self.operatorFilter = operatorFilter
        self.muted = muted
        self.nicknamePrefix = nicknamePrefix
    }

    enum CodingKeys: String, CodingKey {
        case limit, next, order, muted
        case channelID = "channel_id"
        case operatorFilter = "operator_filter"
        case nicknamePrefix = "nickname_prefix"
    }
}
