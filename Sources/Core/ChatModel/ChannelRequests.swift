/// Creates a channel, or returns the existing distinct one with the same members (`CH3`, `CH6`).
public struct CreateChannel: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var channel: Channel
        /// False for an existing distinct channel.
        public var created: Bool
        public init(channel: Channel, created: Bool) {
            self.channel = channel
            self.created = created
        }
    }
    public static let method = "channel.create"
    /// Chosen by the creator, as far as `chat.user_channel_ids` lets users choose; generated if absent.
    public var id: ChannelID?
    public var name: String?
    public var userIDs: [UserID]?
    public var operatorUserIDs: [UserID]?
    public var isPublic: Bool?
    public var isDistinct: Bool?
    public var isSuper: Bool?
    /// Fixed at creation (`CH5`).
    public var isEphemeral: Bool?
    public var coverURL: String?
    public var data: String?
    public var customType: String?
    public var metadata: [String: String]?

    public init(
        id: ChannelID? = nil, name: String? = nil, userIDs: [UserID]? = nil, operatorUserIDs: [UserID]? = nil,
        isPublic: Bool? = nil, isDistinct: Bool? = nil, isSuper: Bool? = nil, coverURL: String? = nil,
        data: String? = nil, customType: String? = nil, metadata: [String: String]? = nil, isEphemeral: Bool? = nil
    ) {
        self.id = id
        self.name = name
        self.userIDs = userIDs
        self.operatorUserIDs = operatorUserIDs
        self.isPublic = isPublic
        self.isDistinct = isDistinct
        self.isSuper = isSuper
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.metadata = metadata
        self.isEphemeral = isEphemeral
    }

    enum CodingKeys: String, CodingKey {
        case id, name, data, metadata
        case userIDs = "user_ids"
        case operatorUserIDs = "operator_user_ids"
        case isPublic = "is_public"
        case isDistinct = "is_distinct"
        case isSuper = "is_super"
        case isEphemeral = "is_ephemeral"
        case coverURL = "cover_url"
        case customType = "custom_type"
    }
}

private enum ChannelKey: String, CodingKey { case channelID = "channel_id" }

/// A request that names a channel and nothing else.
public protocol ChannelRequest: Request where Response == ChannelResponse {
    var channelID: ChannelID { get }
    init(channelID: ChannelID)
}

extension ChannelRequest {
    public init(from decoder: any Decoder) throws {
        self.init(
            channelID: try decoder.container(keyedBy: ChannelKey.self).decode(ChannelID.self, forKey: .channelID))
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ChannelKey.self)
        try container.encode(channelID, forKey: .channelID)
    }
}

/// Returns one channel, with the caller's relation to it.
public struct GetChannel: ChannelRequest {
    public static let method = "channel.get"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Joins a public channel, or accepts an open invitation (`CH2`, `CH9`).
public struct JoinChannel: ChannelRequest {
    public static let method = "channel.join"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Leaves a channel; no event of it reaches the user afterwards (`CH9`).
public struct LeaveChannel: ChannelRequest {
    public static let method = "channel.leave"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Accepts an invitation (`CH8`).
public struct AcceptInvitation: ChannelRequest {
    public static let method = "channel.accept"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Declines an invitation (`CH8`).
public struct DeclineInvitation: ChannelRequest {
    public static let method = "channel.decline"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Invites people; users who accept automatically join at once (`US3`, `CH7`). Each name has its own outcome.
public struct InviteToChannel: Request {
    public struct Refusal: Codable, Hashable, Sendable {
        public var userID: UserID
        public var code: Int
        public var message: String
        public init(userID: UserID, code: Int, message: String) {
            self.userID = userID
            self.code = code
            self.message = message
        }
        enum CodingKeys: String, CodingKey {
            case code, message
            case userID = "user_id"
        }
    }
    public struct Response: Codable, Hashable, Sendable {
        public var channel: Channel
        public var joined: [UserID]
        public var invited: [UserID]
        public var refused: [Refusal]
        public init(channel: Channel, joined: [UserID], invited: [UserID], refused: [Refusal]) {
            self.channel = channel
            self.joined = joined
            self.invited = invited
            self.refused = refused
        }
    }
    public static let method = "channel.invite"
    typealias CodingKeys = PeopleKeys
    public var channelID: ChannelID
    public var userIDs: [UserID]

    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}
