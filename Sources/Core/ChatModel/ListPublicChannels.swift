/// Lists the channels that anyone may join (`CH13`).
public struct ListPublicChannels: Request {
    /// The order of the list.
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// Newest channel first. The default.
        case created
        /// By name, ignoring case.
        case name
        /// By the value of `metadataKey`; channels without this key come last.
        case metadataValue = "metadata_value"
    }
    /// A filter by the caller's membership.
    public enum Membership: String, Codable, Sendable, CaseIterable {
        /// All public channels. The default.
        case all
        /// Only channels that the calling user has joined.
        case joined
    }
    /// The response to `channel.list_public`.
    public typealias Response = ChannelsResponse
    /// The method name.
    public static let method = "channel.list_public"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The order; absent means newest channel first.
    public var order: Order?
    /// The key to sort by; for `metadataValue` only.
    public var metadataKey: String?
    /// Whether channels without a visible message are listed too; absent means false.
    public var includeEmpty: Bool?
    /// A part of the name, ignoring case.
    public var nameContains: String?
    /// The caller's membership; absent means all. With a server key, `joined` requires a user.
    public var membership: Membership?

    /// Creates a `channel.list_public` request; nil arguments are omitted.
    public init(
        limit: Int? = nil, next: String? = nil, order: Order? = nil, metadataKey: String? = nil,
        includeEmpty: Bool? = nil, nameContains: String? = nil, membership: Membership? = nil
    ) {
        self.limit = limit
        self.next = next
        self.order = order
        self.metadataKey = metadataKey
        self.includeEmpty = includeEmpty
        self.nameContains = nameContains
        self.membership = membership
    }

    enum CodingKeys: String, CodingKey {
        case limit, next, order, membership
        case metadataKey = "metadata_key"
        case includeEmpty = "include_empty"
        case nameContains = "name_contains"
    }
}
