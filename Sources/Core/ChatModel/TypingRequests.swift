/// A user who is typing in a channel; transient and not stored (`L1`).
public struct Typing: Codable, Hashable, Sendable {
    /// The channel in which the user is typing.
    public var channelID: ChannelID
    /// The typing user.
    public var user: User
    /// When the typing indicator expires unless renewed, in milliseconds since 1970; absent after typing has stopped.
    public var expiresAt: Int64?

    /// Creates a value from its fields.
    public init(channelID: ChannelID, user: User, expiresAt: Int64? = nil) {
        self.channelID = channelID
        self.user = user
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case user
        case channelID = "channel_id"
        case expiresAt = "expires_at"
    }
}

/// An empty response.
public struct TypingResponse: Codable, Hashable, Sendable {
    /// Creates a value from its fields.
    public init() {}
}

/// Reports that the caller started or continues typing (`L1`).
public struct StartTyping: Request {
    /// The response to `typing.start`.
    public typealias Response = TypingResponse
    /// The method name.
    public static let method = "typing.start"
    /// The channel.
    public var channelID: ChannelID

    /// Creates a `typing.start` request.
    public init(channelID: ChannelID) { self.channelID = channelID }

    enum CodingKeys: String, CodingKey { case channelID = "channel_id" }
}

/// Reports that the caller stopped typing (`L1`).
public struct StopTyping: Request {
    /// The response to `typing.stop`.
    public typealias Response = TypingResponse
    /// The method name.
    public static let method = "typing.stop"
    /// The channel.
    public var channelID: ChannelID

    /// Creates a `typing.stop` request.
    public init(channelID: ChannelID) { self.channelID = channelID }

    enum CodingKeys: String, CodingKey { case channelID = "channel_id" }
}
