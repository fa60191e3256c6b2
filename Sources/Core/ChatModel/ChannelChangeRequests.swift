/// Changes the given fields of a channel; absent fields keep their values, an empty text removes one (`CH14`). For
/// operators and the server.
public struct UpdateChannel: Request {
    /// The response to `channel.update`.
    public typealias Response = ChannelResponse
    /// The method name.
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
    /// Accepts only false: a channel can become non-distinct, but only creation makes it distinct (`CH3`).
    public var isDistinct: Bool?
    /// Accepts only the current value: creation decides whether a channel stores messages (`CH5`).
    public var isEphemeral: Bool?
    /// The seconds after which new messages are removed for everyone: 1–31,536,000; 0 for never (`MT9`).
    public var messageSeconds: Int?
    /// The seconds between two messages of one member; operators are exempt: 1–86,400; 0 for no slow mode (`MO5`).
    public var slowModeSeconds: Int?

    /// Creates a `channel.update` request; nil arguments are omitted.
    public init(
        channelID: ChannelID, name: String? = nil, coverURL: String? = nil, data: String? = nil,
        customType: String? = nil, isPublic: Bool? = nil, isSuper: Bool? = nil, isDistinct: Bool? = nil,
        isEphemeral: Bool? = nil, messageSeconds: Int? = nil, slowModeSeconds: Int? = nil
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
        self.messageSeconds = messageSeconds
        self.slowModeSeconds = slowModeSeconds
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
        case messageSeconds = "message_seconds"
        case slowModeSeconds = "slow_mode_seconds"
    }
}

/// Adds metadata keys or replaces their values; other keys are kept (`CH15`). For operators and the server.
public struct SetChannelMetadata: Request {
    /// The response to `channel.set_metadata`.
    public typealias Response = ChannelResponse
    /// The method name.
    public static let method = "channel.set_metadata"
    /// The channel.
    public var channelID: ChannelID
    /// The new values by key: keys of up to 128 bytes, values of up to 1,024 bytes; at most 50 keys per channel.
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

/// Removes metadata keys and ignores those that do not exist (`CH15`). For operators and the server.
public struct DeleteChannelMetadata: Request {
    /// The response to `channel.delete_metadata`.
    public typealias Response = ChannelResponse
    /// The method name.
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

/// Deletes a channel with all its messages and returns its last state (`CH14`). For operators and the server.
public struct DeleteChannel: ChannelRequest {
    /// The method name.
    public static let method = "channel.delete"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.delete` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}
