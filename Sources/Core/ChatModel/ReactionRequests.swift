/// The response to adding or removing a reaction.
public struct ReactionResponse: Codable, Hashable, Sendable {
    /// The user's reaction after the command, even if the command changed nothing.
    public var reaction: ReactionChange
    /// Creates a value from its fields.
    public init(reaction: ReactionChange) { self.reaction = reaction }
}

/// Adds the caller's reaction to a message; repeating it with the same key changes nothing (`R2`).
public struct AddReaction: Request {
    /// The response to `reaction.add`.
    public typealias Response = ReactionResponse
    /// The method name.
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

/// Removes the caller's reaction from a message; does nothing if there is none (`R2`).
public struct RemoveReaction: Request {
    /// The response to `reaction.remove`.
    public typealias Response = ReactionResponse
    /// The method name.
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

/// Lists all users who reacted with a key, oldest reaction first (`R3`).
public struct ListReactionUsers: Request {
    /// The response to `reaction.list_users`.
    public struct Response: Codable, Hashable, Sendable {
        /// The users of this page, oldest reaction first.
        public var users: [User]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(users: [User], next: String? = nil) {
            self.users = users
            self.next = next
        }
    }
    /// The method name.
    public static let method = "reaction.list_users"
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// The reaction's key: 1–64 bytes.
    public var key: String
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `reaction.list_users` request; nil arguments are omitted.
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
