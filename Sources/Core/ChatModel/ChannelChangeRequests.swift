/// Changes the given fields; absent ones stay, and an empty text removes a field (`CH14`). Operators and the server.
public struct UpdateChannel: Request {
    /// The server's answer to `channel.update`.
    public typealias Response = ChannelResponse
    /// The name of the method on the wire.
    public static let method = "channel.update"
    /// The channel.
    public var channelID: ChannelID
    /// The displayed name: at most 200 characters.
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
    /// Only false is accepted: a channel is distinct from its creation, or never (`CH3`).
    public var isDistinct: Bool?
    /// Only the current value is accepted: whether a channel stores messages is fixed at its creation (`CH5`).
    public var isEphemeral: Bool?

    /// Creates a `channel.update` request; a nil argument leaves its field out.
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
    /// The server's answer to `channel.set_metadata`.
    public typealias Response = ChannelResponse
    /// The name of the method on the wire.
    public static let method = "channel.set_metadata"
    /// The channel.
    public var channelID: ChannelID
    /// The keys and their new values: at most 50 keys in all, of up to 128 bytes, with values of up to 1,024 bytes.
    public var metadata: [String: String]

    /// Creates a `channel.set_metadata` request.
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
    /// The server's answer to `channel.delete_metadata`.
    public typealias Response = ChannelResponse
    /// The name of the method on the wire.
    public static let method = "channel.delete_metadata"
    /// The channel.
    public var channelID: ChannelID
    /// The keys to remove.
    public var keys: [String]

    /// Creates a `channel.delete_metadata` request.
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
    /// The name of the method on the wire.
    public static let method = "channel.delete"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.delete` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}
