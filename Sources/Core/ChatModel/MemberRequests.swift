/// Lists the people in a channel, both joined and invited (`ME1`).
public struct ListMembers: Request {
    /// The order of the list.
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// The default.
        case nickname
        /// Operators first, each group by nickname.
        case operatorThenNickname = "operator_then_nickname"
    }
    /// A filter by role.
    public enum OperatorFilter: String, Codable, Sendable, CaseIterable {
        /// The default.
        case all
        /// Only operators.
        case `operator`
        /// Only ordinary members.
        case nonOperator = "non_operator"
    }
    /// The server's answer to `member.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The members of this page.
        public var members: [Member]
        /// Absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(members: [Member], next: String? = nil) {
            self.members = members
            self.next = next
        }
    }
    /// The name of the method on the wire.
    public static let method = "member.list"
    /// The channel.
    public var channelID: ChannelID
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The order; absent means by nickname.
    public var order: Order?
    /// Which roles; absent means all.
    public var operatorFilter: OperatorFilter?
    /// True for muted members only, false for all others.
    public var muted: Bool?
    /// Ignores case.
    public var nicknamePrefix: String?

    /// Creates a `member.list` request; a nil argument leaves its field out.
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
