/// Changes the given fields; absent ones stay, and an empty text removes a field (`CH14`). Operators and the server.
public struct UpdateChannel: Request {
    public typealias Response = ChannelResponse
    public static let method = "channel.update"
    public var channelID: ChannelID
    public var name: String?
    public var coverURL: String?
    public var data: String?
    public var customType: String?
    public var isPublic: Bool?
    public var isSuper: Bool?
    /// Only false is accepted: a channel is distinct from its creation, or never (`CH3`).
    public var isDistinct: Bool?
    /// Only the current value is accepted: whether a channel stores messages is fixed at its creation (`CH5`).
    public var isEphemeral: Bool?

    public init(
        channelID: ChannelID, name: String? = nil, coverURL: String? = nil, data: String? = nil,
        customType: String? = nil, isPublic: Bool? = nil, isSuper: Bool? = nil, isDistinct: Bool? = nil,
        isEphemeral: Bool? = nil
    ) {
        self.channelID = channelID
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.isPublic = isPublic
        self.isSuper = isSuper
        self.isDistinct = isDistinct
        self.isEphemeral = isEphemeral
    }

    enum CodingKeys: String, CodingKey {
        case name, data
        case channelID = "channel_id"
        case coverURL = "cover_url"
        case customType = "custom_type"
        case isPublic = "is_public"
        case isSuper = "is_super"
        case isDistinct = "is_distinct"
        case isEphemeral = "is_ephemeral"
    }
}

/// Adds keys or gives them new values; other keys stay (`CH15`). Operators and the server.
public struct SetChannelMetadata: Request {
    public typealias Response = ChannelResponse
    public static let method = "channel.set_metadata"
    public var channelID: ChannelID
    public var metadata: [String: String]

    public init(channelID: ChannelID, metadata: [String: String]) {
        self.channelID = channelID
        self.metadata = metadata
    }

    enum CodingKeys: String, CodingKey {
        case metadata
        case channelID = "channel_id"
    }
}

/// Removes keys; missing ones are ignored (`CH15`). Operators and the server.
public struct DeleteChannelMetadata: Request {
    public typealias Response = ChannelResponse
    public static let method = "channel.delete_metadata"
    public var channelID: ChannelID
    public var keys: [String]

    public init(channelID: ChannelID, keys: [String]) {
        self.channelID = channelID
        self.keys = keys
    }

    enum CodingKeys: String, CodingKey {
        case keys
        case channelID = "channel_id"
    }
}

/// Deletes the channel and all its messages; returns its last state (`CH14`). Operators and the server.
public struct DeleteChannel: ChannelRequest {
    public static let method = "channel.delete"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}
