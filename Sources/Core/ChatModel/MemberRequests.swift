/// Lists the joined and invited members of a channel (`ME1`).
public struct ListMembers: Request {
    /// The order of the list.
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// By nickname. The default.
        case nickname
        /// Operators first, then all others; each group by nickname.
        case operatorThenNickname = "operator_then_nickname"
    }
    /// A filter by role.
    public enum OperatorFilter: String, Codable, Sendable, CaseIterable {
        /// All members. The default.
        case all
        /// Only operators.
        case `operator`
        /// Only ordinary members.
        case nonOperator = "non_operator"
    }
    /// The response to `member.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The members of this page.
        public var members: [Member]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(members: [Member], next: String? = nil) {
            self.members = members
            self.next = next
        }
    }
    /// The method name.
    public static let method = "member.list"
    /// The channel.
    public var channelID: ChannelID
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The order; absent means by nickname.
    public var order: Order?
    /// The role; absent means all.
    public var operatorFilter: OperatorFilter?
    /// True for muted members only, false for all others.
    public var muted: Bool?
    /// The prefix of the nickname, ignoring case.
    public var nicknamePrefix: String?

    /// Creates a `member.list` request; nil arguments are omitted.
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
