/// Who is typing in a channel; transient and not stored (`L1`).
public struct Typing: Codable, Hashable, Sendable {
    public var channelID: ChannelID
    public var user: User
    /// When typing ends unless renewed, in milliseconds since 1970; absent once it has ended.
    public var expiresAt: Int64?

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

/// The empty answer.
public struct TypingResponse: Codable, Hashable, Sendable {
    public init() {}
}

/// Reports that the caller starts or continues typing (`L1`).
public struct StartTyping: Request {
    public typealias Response = TypingResponse
    public static let method = "typing.start"
    public var channelID: ChannelID

    public init(channelID: ChannelID) { self.channelID = channelID }

    enum CodingKeys: String, CodingKey { case channelID = "channel_id" }
}

/// Reports that the caller stopped typing (`L1`).
public struct StopTyping: Request {
    public typealias Response = TypingResponse
    public static let method = "typing.stop"
    public var channelID: ChannelID

    public init(channelID: ChannelID) { self.channelID = channelID }

    enum CodingKeys: String, CodingKey { case channelID = "channel_id" }
}
