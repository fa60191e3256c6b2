/// Who is writing in a channel; of the moment, and kept nowhere (`L1`).
public struct Typing: Codable, Hashable, Sendable {
    public var channelID: ChannelID
    public var user: User
    /// When it is over by itself, in milliseconds since 1970; absent when it is over.
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

/// The answer of a request that has nothing to tell.
public struct TypingResponse: Codable, Hashable, Sendable {
    public init() {}
}

/// One begins to write, or still does (`L1`).
public struct StartTyping: Request {
    public typealias Response = TypingResponse
    public static let method = "typing.start"
    public var channelID: ChannelID

    public init(channelID: ChannelID) { self.channelID = channelID }

    enum CodingKeys: String, CodingKey { case channelID = "channel_id" }
}

/// One does not write any more (`L1`).
public struct StopTyping: Request {
    public typealias Response = TypingResponse
    public static let method = "typing.stop"
    public var channelID: ChannelID

    public init(channelID: ChannelID) { self.channelID = channelID }

    enum CodingKeys: String, CodingKey { case channelID = "channel_id" }
}
