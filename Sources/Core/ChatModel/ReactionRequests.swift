/// The answer to adding or removing a reaction.
public struct ReactionResponse: Codable, Hashable, Sendable {
    /// The resulting change, also if nothing changed.
    public var reaction: ReactionChange
    /// Creates a value from its fields.
    public init(reaction: ReactionChange) { self.reaction = reaction }
}

/// Reacts to a message; repeating it with the same key changes nothing (`R2`).
public struct AddReaction: Request {
    /// The server's answer to `reaction.add`.
    public typealias Response = ReactionResponse
    /// The name of the method on the wire.
    public static let method = "reaction.add"
    typealias CodingKeys = ReactionKeys
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// The reaction's key: 1–64 bytes.
    public var key: String

    /// Creates a `reaction.add` request.
    public init(channelID: ChannelID, messageID: MessageID, key: String) {
        self.channelID = channelID
        self.messageID = messageID
        self.key = key
    }
}

/// Removes a reaction; does nothing if there is none (`R2`).
public struct RemoveReaction: Request {
    /// The server's answer to `reaction.remove`.
    public typealias Response = ReactionResponse
    /// The name of the method on the wire.
    public static let method = "reaction.remove"
    typealias CodingKeys = ReactionKeys
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// The reaction's key: 1–64 bytes.
    public var key: String

    /// Creates a `reaction.remove` request.
    public init(channelID: ChannelID, messageID: MessageID, key: String) {
        self.channelID = channelID
        self.messageID = messageID
        self.key = key
    }
}

/// Lists everyone who reacted with a key, in the order of reacting, in pages (`R3`).
public struct ListReactionUsers: Request {
    /// The server's answer to `reaction.list_users`.
    public struct Response: Codable, Hashable, Sendable {
        /// The users of this page, in the order of reacting.
        public var users: [User]
        /// The token from the previous page; nil for the first.
        public var next: String?
        /// Creates a response from its fields.
        public init(users: [User], next: String? = nil) {
            self.users = users
            self.next = next
        }
    }
    /// The name of the method on the wire.
    public static let method = "reaction.list_users"
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// The reaction's key: 1–64 bytes.
    public var key: String
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `reaction.list_users` request; a nil argument leaves its field out.
    public init(
        channelID: ChannelID, messageID: MessageID, key: String, limit: Int? = nil, next: String? = nil
    ) {
        self.channelID = channelID
        self.messageID = messageID
        self.key = key
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case key, limit, next
        case channelID = "channel_id"
        case messageID = "message_id"
    }
}
