/// A channel as the app wants it to be: created when there is none of that id, else changed by what is given. Nobody is
/// removed. A channel that a user made is refused (1015) unless `take_over` says that the app wants it.
public struct ChannelUpsert: Codable, Hashable, Sendable {
    public var id: ChannelID
    /// These are in it afterwards, without having been asked.
    public var userIDs: [UserID]?
    /// The same, as operators.
    public var operatorUserIDs: [UserID]?
    /// An empty text takes away, as for the other texts.
    public var name: String?
    public var coverURL: String?
    public var data: String?
    public var customType: String?
    public var isPublic: Bool?
    public var isSuper: Bool?
    /// For the channel's whole life (`CH5`).
    public var isEphemeral: Bool?
    /// Of a channel that there is, other keys stay.
    public var metadata: [String: String]?
    /// Makes a user's channel the server's: its operators become ordinary members unless this item names them.
    public var takeOver: Bool?

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

/// Creates and changes up to 100 channels at once, which name up to 250 people together. Server only.
///
/// Each of them as a whole or not at all: what is refused is listed with its reason, and the others are durable together.
/// Refused altogether with 1032 when a channel is named twice.
public struct UpsertChannels: Request {
    public struct Refusal: Codable, Hashable, Sendable {
        public var channelID: ChannelID
        public var code: Int
        public var message: String
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
    public struct Response: Codable, Hashable, Sendable {
        /// Those that are as they were to be, in the order of the request.
        public var channels: [Channel]
        /// The new ones among them.
        public var created: [ChannelID]
        public var refused: [Refusal]
        public init(channels: [Channel], created: [ChannelID], refused: [Refusal]) {
            self.channels = channels
            self.created = created
            self.refused = refused
        }
    }
    public static let method = "channel.upsert_many"
    /// At least one.
    public var channels: [ChannelUpsert]

    public init(channels: [ChannelUpsert]) { self.channels = channels }
}

/// Puts people into a channel without asking them: whoever is invited is in with it, too. Server only. Each name has its own
/// outcome.
public struct AddMembers: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var channel: Channel
        public var joined: [UserID]
        public var refused: [InviteToChannel.Refusal]
        public init(channel: Channel, joined: [UserID], refused: [InviteToChannel.Refusal]) {
            self.channel = channel
            self.joined = joined
            self.refused = refused
        }
    }
    public static let method = "member.add"
    typealias CodingKeys = PeopleKeys
    public var channelID: ChannelID
    public var userIDs: [UserID]

    public init(channelID: ChannelID, userIDs: [UserID]) {
        self.channelID = channelID
        self.userIDs = userIDs
    }
}
