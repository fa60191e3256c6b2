/// The desired state of a channel: creates it if the id is unused, otherwise updates the given fields. Members are
/// never removed. A channel created by a user is refused (1015) unless `take_over` is set.
public struct ChannelUpsert: Codable, Hashable, Sendable {
    /// The channel's id; an unused id creates the channel.
    public var id: ChannelID
    /// Users to add as members, without asking them.
    public var userIDs: [UserID]?
    /// Users to add as members and operators, without asking them.
    public var operatorUserIDs: [UserID]?
    /// The displayed name. Here and in the other text fields, an empty text removes the value.
    public var name: String?
    /// The URL of the cover image: at most 2,048 bytes.
    public var coverURL: String?
    /// Data for the app's own use: at most 8,192 bytes.
    public var data: String?
    /// A type for the app's own use: at most 128 bytes.
    public var customType: String?
    /// Whether anyone may join (`CH2`).
    public var isPublic: Bool?
    /// Whether it is a super channel, which may have more members (`CH4`).
    public var isSuper: Bool?
    /// Whether messages are delivered but not stored; fixed at creation (`CH5`).
    public var isEphemeral: Bool?
    /// The app's key-value pairs; an existing channel keeps the keys that are not given.
    public var metadata: [String: String]?
    /// Transfers a user's channel to the server: its operators become ordinary members unless this item lists them.
    public var takeOver: Bool?

    /// Creates a value from its fields.
    public init(
        id: ChannelID, name: String? = nil, userIDs: [UserID]? = nil, operatorUserIDs: [UserID]? = nil,
        isPublic: Bool? = nil, isSuper: Bool? = nil, isEphemeral: Bool? = nil, coverURL: String? = nil,
        data: String? = nil, customType: String? = nil, metadata: [String: String]? = nil, takeOver: Bool? = nil
    ) {
        self.id = id
        self.name = name
        self.userIDs = userIDs
        self.operatorUserIDs = operatorUserIDs
        self.isPublic = isPublic
        self.isSuper = isSuper
        self.isEphemeral = isEphemeral
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.metadata = metadata
        self.takeOver = takeOver
    }

    enum CodingKeys: String, CodingKey {
        case id, name, data, metadata
        case userIDs = "user_ids"
        case operatorUserIDs = "operator_user_ids"
        case isPublic = "is_public"
        case isSuper = "is_super"
        case isEphemeral = "is_ephemeral"
        case coverURL = "cover_url"
        case customType = "custom_type"
        case takeOver = "take_over"
    }
}

/// Creates and updates up to 80 channels in one request, with up to 250 users in total. Server only.
///
/// Each channel is applied completely or not at all. Refused channels are listed with a reason; all others become
/// durable together. The whole request is refused with 1032 if it contains a channel twice.
public struct UpsertChannels: Request {
    /// A refused channel and the reason.
    public struct Refusal: Codable, Hashable, Sendable {
        /// The channel.
        public var channelID: ChannelID
        /// The error code; see `ErrorCode`.
        public var code: Int
        /// The meaning of the code, with details.
        public var message: String
        /// Creates a value from its fields.
        public init(channelID: ChannelID, code: Int, message: String) {
            self.channelID = channelID
            self.code = code
            self.message = message
        }
        enum CodingKeys: String, CodingKey {
            case code, message
            case channelID = "channel_id"
        }
    }
    /// The response to `channel.upsert_many`.
    public struct Response: Codable, Hashable, Sendable {
        /// The created and updated channels, in the order of the request.
        public var channels: [Channel]
        /// The ids of the channels that are new.
        public var created: [ChannelID]
        /// The refused channels, in the order of the request.
        public var refused: [Refusal]
        /// Creates a response from its fields.
        public init(channels: [Channel], created: [ChannelID], refused: [Refusal]) {
            self.channels = channels
            self.created = created
            self.refused = refused
        }
    }
    /// The method name.
    public static let method = "channel.upsert_many"
    /// The desired channels; at least one.
    public var channels: [ChannelUpsert]

    /// Creates a `channel.upsert_many` request.
    public init(channels: [ChannelUpsert]) { self.channels = channels }
}

/// Adds users to a channel without asking them and accepts open invitations. Server only. Each user has a separate
/// outcome.
public struct AddMembers: Request {
    /// The response to `member.add`.
    public struct Response: Codable, Hashable, Sendable {
        /// The channel after the command.
        public var channel: Channel
        /// The new members, in the order of the request.
        public var joined: [UserID]
        /// The users who were not added, each with a reason.
        public var refused: [InviteToChannel.Refusal]
        /// Creates a response from its fields.
        public init(channel: Channel, joined: [UserID], refused: [InviteToChannel.Refusal]) {
            self.channel = channel
            self.joined = joined
            self.refused = refused
        }
    }
    /// The method name.
    public static let method = "member.add"
    typealias CodingKeys = PeopleKeys
    /// The channel.
    public var channelID: ChannelID
    /// The users to add: at most 250.
    public var userIDs: [UserID]

    /// Creates a `member.add` request.
    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}
