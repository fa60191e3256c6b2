/// Lists the channels that anyone may join (`CH13`).
public struct ListPublicChannels: Request {
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// Newest first. The default.
        case created
        /// Ignores case.
        case name
        /// By the value of `metadataKey`; channels without it come last.
        case metadataValue = "metadata_value"
    }
    public enum Membership: String, Codable, Sendable, CaseIterable {
        /// The default.
        case all
        /// Only those that the calling user has joined.
        case joined
    }
    public typealias Response = ChannelsResponse
    public static let method = "channel.list_public"
    public var limit: Int?
    public var next: String?
    public var order: Order?
    /// For `metadataValue` only.
    public var metadataKey: String?
    /// Whether channels that show no message are listed too; absent means false.
    public var includeEmpty: Bool?
    /// Ignores case.
    public var nameContains: String?
    public var membership: Membership?

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
