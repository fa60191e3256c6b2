/// The members named in a request, after the command.
public struct MembersResponse: Codable, Hashable, Sendable {
    /// The members, in the order of the request.
    public var members: [Member]
    /// Creates a value from its fields.
    public init(members: [Member]) { self.members = members }
}

/// A request whose only fields are a channel and some of its members.
public protocol PeopleRequest: Request where Response == MembersResponse {
    /// The channel.
    var channelID: ChannelID { get }
    /// The members.
    var userIDs: [UserID] { get }
}

/// A request for a page of a channel's members that share a property.
public protocol PeoplePageRequest: Request {
    /// The channel.
    var channelID: ChannelID { get }
    /// The maximum number of entries per page: 1–100; 30 by default.
    var limit: Int? { get }
    /// The token from the previous page; nil for the first.
    var next: String? { get }
}

/// Makes joined or invited members operators (`ME2`). Changes nothing if one of the users is neither.
public struct AddOperators: PeopleRequest {
    /// The method name.
    public static let method = "operator.add"
    typealias CodingKeys = PeopleKeys
    /// The channel.
    public var channelID: ChannelID
    /// The members to promote: at least one.
    public var userIDs: [UserID]

    /// Creates an `operator.add` request.
    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}

/// Makes operators ordinary members (`ME2`).
public struct RemoveOperators: PeopleRequest {
    /// The method name.
    public static let method = "operator.remove"
    typealias CodingKeys = PeopleKeys
    /// The channel.
    public var channelID: ChannelID
    /// The operators to demote: at least one.
    public var userIDs: [UserID]

    /// Creates an `operator.remove` request.
    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}

/// Makes all operators of a channel ordinary members, including the caller (`ME2`).
public struct RemoveAllOperators: ChannelRequest {
    /// The method name.
    public static let method = "operator.remove_all"
    /// The channel.
    public var channelID: ChannelID
    /// Creates an `operator.remove_all` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Lists the operators of a channel, sorted by nickname (`ME2`).
public struct ListOperators: PeoplePageRequest {
    /// The response to `operator.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The operators of this page.
        public var operators: [Member]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(operators: [Member], next: String? = nil) {
            self.operators = operators
            self.next = next
        }
    }
    /// The method name.
    public static let method = "operator.list"
    typealias CodingKeys = PeoplePageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates an `operator.list` request; nil arguments are omitted.
    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}

/// Freezes a channel: only operators and the server can send (`CH10`).
public struct FreezeChannel: ChannelRequest {
    /// The method name.
    public static let method = "channel.freeze"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.freeze` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Unfreezes a channel: everyone can send again (`CH10`).
public struct UnfreezeChannel: ChannelRequest {
    /// The method name.
    public static let method = "channel.unfreeze"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.unfreeze` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}
