/// Lists the channels that the calling user has joined or is invited to (`CH12`).
///
/// An absent filter matches every channel, unless a default is given.
public struct ListChannels: Request {
    /// The order of the list.
    public enum Order: String, Codable, Sendable, CaseIterable {
        /// Newest channel first.
        case created
        /// Newest message first; the default. A channel without a visible message sorts by when the user joined or was
        /// invited.
        case latestMessage = "latest_message"
        /// By name, ignoring case.
        case name
        /// By the value of `metadataKey`; channels without this key come last.
        case metadataValue = "metadata_value"
    }
    /// A filter by the caller's relation to the channel.
    public enum MemberStates: String, Codable, Sendable, CaseIterable {
        /// All of these channels. The default.
        case all
        /// Only joined channels, or only invitations.
        case joined, invited
    }
    /// A filter by whether the caller hides the channel (`CH11`).
    public enum HiddenStates: String, Codable, Sendable, CaseIterable {
        /// Only channels that are not hidden. The default.
        case unhidden
        /// All hidden channels, of both kinds.
        case hidden
        /// Only hidden channels that a new message unhides.
        case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
        /// Only hidden channels that stay hidden until `channel.unhide`.
        case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
        /// All channels, hidden or not.
        case all
    }
    /// How the users of a filter are combined.
    public enum Connective: String, Codable, Sendable, CaseIterable {
        /// All of them must be members. The default.
        case and
        /// At least one of them must be a member.
        case or
    }
    /// The response to `channel.list`.
    public typealias Response = ChannelsResponse
    /// The method name.
    public static let method = "channel.list"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The order; absent means newest message first.
    public var order: Order?
    /// The key to sort by; for `metadataValue` only.
    public var metadataKey: String?
    /// Whether channels without a visible message are listed too; absent means false. Invitations are always listed.
    public var includeEmpty: Bool?
    /// The caller's relation to the channel; absent means all.
    public var memberState: MemberStates?
    /// Whether the channel is hidden; absent means not hidden.
    public var hiddenState: HiddenStates?
    /// The exact set of members, including invited users; the caller is implied.
    public var userIDsExact: [UserID]?
    /// Users who are members or invited: 1–100.
    public var userIDsInclude: [UserID]?
    /// Whether all users in `userIDsInclude` must be members, or any; absent means all.
    public var userIDsQuery: Connective?
    /// A part of the name, ignoring case.
    public var nameContains: String?
    /// The accepted custom types, compared byte by byte: 1–100.
    public var customTypes: [String]?
    /// Whether only channels with unread messages match.
    public var unreadOnly: Bool?
    /// Whether the channel is public.
    public var isPublic: Bool?
    /// Whether the channel is a super channel.
    public var isSuper: Bool?
    /// Whether the channel is distinct.
    public var isDistinct: Bool?

    /// Creates a `channel.list` request; nil arguments are omitted.
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

/// A page of a list of channels.
public struct ChannelsResponse: Codable, Hashable, Sendable {
    /// The channels of this page.
    public var channels: [Channel]
    /// The token of the next page; absent on the last page.
    public var next: String?

    /// Creates a value from its fields.
    public init(channels: [Channel], next: String? = nil) {
        self.channels = channels
        self.next = next
    }
}
