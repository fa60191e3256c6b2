/// The named people of a channel, after the command.
public struct MembersResponse: Codable, Hashable, Sendable {
    public var members: [Member]
    public init(members: [Member]) { self.members = members }
}

/// A request that names people of a channel and nothing else.
public protocol PeopleRequest: Request where Response == MembersResponse {
    var channelID: ChannelID { get }
    var userIDs: [UserID] { get }
}

/// A request for a page of the people in a channel with some common property.
public protocol PeoplePageRequest: Request {
    var channelID: ChannelID { get }
    var limit: Int? { get }
    var next: String? { get }
}

/// Makes members operators (`ME2`). If one of them is not in the channel, nobody becomes an operator.
public struct AddOperators: PeopleRequest {
    public static let method = "operator.add"
    typealias CodingKeys = PeopleKeys
    public var channelID: ChannelID
    public var userIDs: [UserID]

    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}

/// Makes operators ordinary members again (`ME2`).
public struct RemoveOperators: PeopleRequest {
    public static let method = "operator.remove"
    typealias CodingKeys = PeopleKeys
    public var channelID: ChannelID
    public var userIDs: [UserID]

    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}

/// Removes all operators of the channel, including the caller (`ME2`).
public struct RemoveAllOperators: ChannelRequest {
    public static let method = "operator.remove_all"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Lists a channel's operators by nickname (`ME2`).
public struct ListOperators: PeoplePageRequest {
    public struct Response: Codable, Hashable, Sendable {
        public var operators: [Member]
        /// Absent on the last page.
        public var next: String?
        public init(operators: [Member], next: String? = nil) {
            self.operators = operators
            self.next = next
        }
    }
    public static let method = "operator.list"
    typealias CodingKeys = PeoplePageKeys
    public var channelID: ChannelID
    public var limit: Int?
    public var next: String?

    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }
}

/// Freezes a channel: only operators and the server can send (`CH10`).
public struct FreezeChannel: ChannelRequest {
    public static let method = "channel.freeze"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Unfreezes a channel: everyone can send again (`CH10`).
public struct UnfreezeChannel: ChannelRequest {
    public static let method = "channel.unfreeze"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}
