public struct ReactionResponse: Codable, Hashable, Sendable {
    public var reaction: ReactionChange
    public init(reaction: ReactionChange) { self.reaction = reaction }
}

/// Reacts to a message; repeating it with the same key changes nothing (`R2`).
public struct AddReaction: Request {
    public typealias Response = ReactionResponse
    public static let method = "reaction.add"
    typealias CodingKeys = ReactionKeys
    public var channelID: ChannelID
    public var messageID: MessageID
    public var key: String

    public init(channelID: ChannelID, messageID: MessageID, key: String) {
        self.channelID = channelID
        self.messageID = messageID
        self.key = key
    }
}

/// Removes a reaction; does nothing if there is none (`R2`).
public struct RemoveReaction: Request {
    public typealias Response = ReactionResponse
    public static let method = "reaction.remove"
    typealias CodingKeys = ReactionKeys
    public var channelID: ChannelID
    public var messageID: MessageID
    public var key: String

    public init(channelID: ChannelID, messageID: MessageID, key: String) {
        self.channelID = channelID
        self.messageID = messageID
        self.key = key
    }
}

/// Lists everyone who reacted with a key, in the order of reacting, in pages (`R3`).
public struct ListReactionUsers: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var users: [User]
        public var next: String?
        public init(users: [User], next: String? = nil) {
            self.users = users
            self.next = next
        }
    }
    public static let method = "reaction.list_users"
    public var channelID: ChannelID
    public var messageID: MessageID
    public var key: String
    public var limit: Int?
    public var next: String?

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
