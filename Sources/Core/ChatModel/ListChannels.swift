/// Lists the channels that the calling user has joined or is invited to (`CH12`).
///
/// An absent filter matches everything, except where a default is named.
public struct ListChannels: Request {
    /// The order of the list.
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
    /// A filter by the caller's relation to the channel.
    public enum MemberStates: String, Codable, Sendable, CaseIterable {
        /// The default.
        case all
        /// Only joined channels, or only those that the user is invited to.
        case joined, invited
    }
    /// A filter by whether the caller hides the channel (`CH11`).
    public enum HiddenStates: String, Codable, Sendable, CaseIterable {
        /// The default.
        case unhidden
        /// Both kinds.
        case hidden
        /// Those that a new message unhides.
        case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
        /// Those that only `channel.unhide` unhides.
        case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
        /// Hidden or not.
        case all
    }
    /// How the users of a filter are combined.
    public enum Connective: String, Codable, Sendable, CaseIterable {
        /// All of them. The default.
        case and
        /// Any of them.
        case or
    }
    /// The server's answer to `channel.list`.
    public typealias Response = ChannelsResponse
    /// The name of the method on the wire.
    public static let method = "channel.list"
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?
    /// The order; absent means by the latest message.
    public var order: Order?
    /// For `metadataValue` only.
    public var metadataKey: String?
    /// Whether channels without a visible message are listed too; absent means false. Invitations are always listed.
    public var includeEmpty: Bool?
    /// Which relation to the channel; absent means all.
    public var memberState: MemberStates?
    /// Which hidden channels; absent means only those that are not hidden.
    public var hiddenState: HiddenStates?
    /// The members, including invited ones, are exactly these and the caller.
    public var userIDsExact: [UserID]?
    /// Users who are members, including invited ones: 1–100.
    public var userIDsInclude: [UserID]?
    /// Whether `userIDsInclude` names all or any of the members; absent means all.
    public var userIDsQuery: Connective?
    /// Ignores case.
    public var nameContains: String?
    /// The channel has one of these custom types, compared byte by byte: 1–100.
    public var customTypes: [String]?
    /// Whether only channels with unread messages match.
    public var unreadOnly: Bool?
    /// Whether channels are public.
    public var isPublic: Bool?
    /// Whether channels are super channels.
    public var isSuper: Bool?
    /// Whether channels are distinct.
    public var isDistinct: Bool?

    /// Creates a `channel.list` request; a nil argument leaves its field out.
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
    /// Absent on the last page.
    public var next: String?

    /// Creates a value from its fields.
    public init(channels: [Channel], next: String? = nil) {
        self.channels = channels
        self.next = next
    }
}
