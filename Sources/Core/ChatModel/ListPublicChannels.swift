/// Lists the channels that anyone may join (`CH13`).
public struct ListPublicChannels: Request {
    /// The order of the list.
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// Newest first. The default.
        case created
        /// Ignores case.
        case name
        /// By the value of `metadataKey`; channels without it come last.
        case metadataValue = "metadata_value"
    }
    /// A filter by the caller's membership.
    public enum Membership: String, Codable, Sendable, CaseIterable {
        /// The default.
        case all
        /// Only those that the calling user has joined.
        case joined
    }
    /// The server's answer to `channel.list_public`.
    public typealias Response = ChannelsResponse
    /// The name of the method on the wire.
    public static let method = "channel.list_public"
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The order; absent means by creation.
    public var order: Order?
    /// For `metadataValue` only.
    public var metadataKey: String?
    /// Whether channels that show no message are listed too; absent means false.
    public var includeEmpty: Bool?
    /// Ignores case.
    public var nameContains: String?
    /// Which channels; absent means all. A server key must name a user for `joined`.
    public var membership: Membership?

    /// Creates a `channel.list_public` request; a nil argument leaves its field out.
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
