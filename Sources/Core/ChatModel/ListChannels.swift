/// Lists the channels that the calling user has joined or is invited to (`CH12`).
///
/// An absent filter matches everything, except where a default is named.
public struct ListChannels: Request {
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// Newest first.
        case created
        /// Newest first; a channel without a visible message sorts by when the user joined or was invited. The default.
        case latestMessage = "latest_message"
        /// Ignores case.
        case name
        /// By the value of `metadataKey`; channels without it come last.
        case metadataValue = "metadata_value"
    }
    public enum MemberStates: String, Codable, Sendable, CaseIterable {
        /// The default.
        case all
        case joined, invited
    }
    public enum HiddenStates: String, Codable, Sendable, CaseIterable {
        /// The default.
        case unhidden
        /// Both kinds.
        case hidden
        case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
        case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
        case all
    }
    public enum Connective: String, Codable, Sendable, CaseIterable {
        /// All of them. The default.
        case and
        /// Any of them.
        case or
    }
    public typealias Response = ChannelsResponse
    public static let method = "channel.list"
    public var limit: Int?
    public var next: String?
    public var order: Order?
    /// For `metadataValue` only.
    public var metadataKey: String?
    /// Whether channels without a visible message are listed too; absent means false. Invitations are always listed.
    public var includeEmpty: Bool?
    public var memberState: MemberStates?
    public var hiddenState: HiddenStates?
    /// The members, including invited ones, are exactly these and the caller.
    public var userIDsExact: [UserID]?
    public var userIDsInclude: [UserID]?
    public var userIDsQuery: Connective?
    /// Ignores case.
    public var nameContains: String?
    public var customTypes: [String]?
    public var unreadOnly: Bool?
    public var isPublic: Bool?
    public var isSuper: Bool?
    public var isDistinct: Bool?

    public init(limit: Int? = nil, next: String? = nil, order: Order? = nil) {
        self.limit = limit
        self.next = next
        self.order = order
    }

    enum CodingKeys: String, CodingKey {
        case limit, next, order
        case metadataKey = "metadata_key"
        case includeEmpty = "include_empty"
        case memberState = "member_state"
        case hiddenState = "hidden_state"
        case userIDsExact = "user_ids_exact"
        case userIDsInclude = "user_ids_include"
        case userIDsQuery = "user_ids_query"
        case nameContains = "name_contains"
        case customTypes = "custom_types"
        case unreadOnly = "unread_only"
        case isPublic = "is_public"
        case isSuper = "is_super"
        case isDistinct = "is_distinct"
    }
}

public struct ChannelsResponse: Codable, Hashable, Sendable {
    public var channels: [Channel]
    /// Absent on the last page.
    public var next: String?

    public init(channels: [Channel], next: String? = nil) {
        self.channels = channels
        self.next = next
    }
}
