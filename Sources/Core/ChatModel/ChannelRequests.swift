/// Creates a channel, or returns the existing distinct channel with the same members (`CH3`, `CH6`).
public struct CreateChannel: Request {
    /// The response to `channel.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// The new channel, or the existing distinct channel.
        public var channel: Channel
        /// Whether the channel is new; false for an existing distinct channel.
        public var created: Bool
        /// Creates a response from its fields.
        public init(channel: Channel, created: Bool) {
            self.channel = channel
            self.created = created
        }
    }
    /// The method name.
    public static let method = "channel.create"
    /// The id, if `chat.user_channel_ids` lets the creator choose it; the server generates one if absent.
    public var id: ChannelID?
    /// The displayed name: at most 200 characters.
    public var name: String?
    /// Users to invite in addition to the caller: at most 250 together with `operatorUserIDs`.
    public var userIDs: [UserID]?
    /// Users to invite who become operators when they join.
    public var operatorUserIDs: [UserID]?
    /// Whether anyone may join (`CH2`); absent means false.
    public var isPublic: Bool?
    /// Whether an existing distinct channel with the same members is returned instead (`CH3`); absent means false.
    public var isDistinct: Bool?
    /// Whether it is a super channel, which may have more members (`CH4`); absent means false.
    public var isSuper: Bool?
    /// Whether messages are delivered but not stored; fixed at creation (`CH5`).
    public var isEphemeral: Bool?
    /// The URL of the cover image: at most 2,048 bytes.
    public var coverURL: String?
    /// Data for the app's own use: at most 8,192 bytes.
    public var data: String?
    /// A type for the app's own use: at most 128 bytes.
    public var customType: String?
    /// The app's key-value pairs: at most 50 keys of up to 128 bytes, with values of up to 1,024 bytes.
    public var metadata: [String: String]?

    /// Creates a `channel.create` request; nil arguments are omitted.
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

/// A request whose only field is a channel.
public protocol ChannelRequest: Request where Response == ChannelResponse {
    /// The channel.
    var channelID: ChannelID { get }
    /// Creates a request for a channel.
    init(channelID: ChannelID)
}

extension ChannelRequest {
    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        self.init(
            channelID: try decoder.container(keyedBy: ChannelKey.self).decode(ChannelID.self, forKey: .channelID))
    }
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ChannelKey.self)
        try container.encode(channelID, forKey: .channelID)
    }
}

/// Returns one channel, including the caller's relation to it.
public struct GetChannel: ChannelRequest {
    /// The method name.
    public static let method = "channel.get"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.get` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Joins a public channel, or accepts an open invitation (`CH2`, `CH9`).
public struct JoinChannel: ChannelRequest {
    /// The method name.
    public static let method = "channel.join"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.join` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Leaves a channel; the user receives no further events from it (`CH9`).
public struct LeaveChannel: ChannelRequest {
    /// The method name.
    public static let method = "channel.leave"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.leave` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Accepts an invitation (`CH8`).
public struct AcceptInvitation: ChannelRequest {
    /// The method name.
    public static let method = "channel.accept"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.accept` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Declines an invitation (`CH8`).
public struct DeclineInvitation: ChannelRequest {
    /// The method name.
    public static let method = "channel.decline"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.decline` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Invites users; those who accept automatically join immediately (`US3`, `CH7`). Each user has a separate outcome.
public struct InviteToChannel: Request {
    /// A user who was not invited, and the reason.
    public struct Refusal: Codable, Hashable, Sendable {
        /// The user.
        public var userID: UserID
        /// The error code; see `ErrorCode`.
        public var code: Int
        /// The meaning of the code, with details.
        public var message: String
        /// Creates a value from its fields.
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
    /// The response to `channel.invite`.
    public struct Response: Codable, Hashable, Sendable {
        /// The channel after the command.
        public var channel: Channel
        /// The users who joined immediately, because they accept invitations automatically.
        public var joined: [UserID]
        /// The users who were invited.
        public var invited: [UserID]
        /// The users who were not invited, each with a reason.
        public var refused: [Refusal]
        /// Creates a response from its fields.
        public init(channel: Channel, joined: [UserID], invited: [UserID], refused: [Refusal]) {
            self.channel = channel
            self.joined = joined
            self.invited = invited
            self.refused = refused
        }
    }
    /// The method name.
    public static let method = "channel.invite"
    typealias CodingKeys = PeopleKeys
    /// The channel.
    public var channelID: ChannelID
    /// The users to invite: at most 250.
    public var userIDs: [UserID]

    /// Creates a `channel.invite` request.
    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}
