/// The named people of a channel, after the command.
public struct MembersResponse: Codable, Hashable, Sendable {
    /// The named people, in the order of the request.
    public var members: [Member]
    /// Creates a value from its fields.
    public init(members: [Member]) { self.members = members }
}

/// A request that names people of a channel and nothing else.
public protocol PeopleRequest: Request where Response == MembersResponse {
    /// The channel.
    var channelID: ChannelID { get }
    /// The people.
    var userIDs: [UserID] { get }
}

/// A request for a page of the people in a channel with some common property.
public protocol PeoplePageRequest: Request {
    /// The channel.
    var channelID: ChannelID { get }
    /// The most entries of a page: 1–100, by default 30.
    var limit: Int? { get }
    /// The token from the previous page; nil for the first.
    var next: String? { get }
}

/// Makes members operators (`ME2`). If one of them is not in the channel, nobody becomes an operator.
public struct AddOperators: PeopleRequest {
    /// The name of the method on the wire.
    public static let method = "operator.add"
    typealias CodingKeys = PeopleKeys
    /// The channel.
    public var channelID: ChannelID
    /// The members to promote: at least one.
    public var userIDs: [UserID]

    /// Creates a `operator.add` request.
    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}

/// Makes operators ordinary members again (`ME2`).
public struct RemoveOperators: PeopleRequest {
    /// The name of the method on the wire.
    public static let method = "operator.remove"
    typealias CodingKeys = PeopleKeys
    /// The channel.
    public var channelID: ChannelID
    /// The operators to demote: at least one.
    public var userIDs: [UserID]

    /// Creates a `operator.remove` request.
    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}

/// Removes all operators of the channel, including the caller (`ME2`).
public struct RemoveAllOperators: ChannelRequest {
    /// The name of the method on the wire.
    public static let method = "operator.remove_all"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `operator.remove_all` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Lists a channel's operators by nickname (`ME2`).
public struct ListOperators: PeoplePageRequest {
    /// The server's answer to `operator.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The operators of this page.
        public var operators: [Member]
        /// Absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(operators: [Member], next: String? = nil) {
            self.operators = operators
            self.next = next
        }
    }
    /// The name of the method on the wire.
    public static let method = "operator.list"
    typealias CodingKeys = PeoplePageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `operator.list` request; a nil argument leaves its field out.
    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}

/// Freezes a channel: only operators and the server can send (`CH10`).
public struct FreezeChannel: ChannelRequest {
    /// The name of the method on the wire.
    public static let method = "channel.freeze"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.freeze` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Unfreezes a channel: everyone can send again (`CH10`).
public struct UnfreezeChannel: ChannelRequest {
    /// The name of the method on the wire.
    public static let method = "channel.unfreeze"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.unfreeze` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}
