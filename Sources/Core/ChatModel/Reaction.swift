/// The reactions with one key to a message, as one reader sees them (`R3`).
public struct Reaction: Codable, Hashable, Sendable {
    /// The key that the users reacted with.
    public var key: String
    /// How many users reacted.
    public var count: Int
    /// The first users who reacted, in order of reacting.
    public var userIDs: [UserID]
    /// Whether the reader has reacted with this key.
    public var mine: Bool
    /// Milliseconds since 1970.
    public var updatedAt: Int64

    /// Creates a value from its fields.
    public init(key: String, count: Int, userIDs: [UserID], mine: Bool, updatedAt: Int64) {
        self.key = key
        self.count = count
        self.userIDs = userIDs
        self.mine = mine
        self.updatedAt = updatedAt
    }

    enum CodingKeys: String, CodingKey {
        case key, count, mine
        case userIDs = "user_ids"
        case updatedAt = "updated_at"
    }
}

/// One user's reaction, added or removed (`R2`).
///
/// Changes of one message commute: the set of reactions is the last operation per user and key, and the count is the
/// one with the greatest `updatedAt`, which no two changes of a message share. For a reader who may not see the
/// message, everything except the id is absent (`CH7`).
public struct ReactionChange: Codable, Hashable, Sendable {
    /// Whether the reaction was added or removed.
    public enum Operation: String, Codable, Sendable, CaseIterable {
        /// Added, or removed.
        case add, remove
    }

    /// The message that was reacted to.
    public var messageID: MessageID
    /// The reaction's key.
    public var key: String?
    /// Whether the reaction was added or removed.
    public var operation: Operation?
    /// Who reacted.
    public var userID: UserID?
    /// How many people have reacted with the key now.
    public var count: Int?
    /// Milliseconds since 1970, later than every earlier change of the message; absent if nobody has ever reacted.
    public var updatedAt: Int64?

    /// Creates a value from its fields.
    public init(
        messageID: MessageID, key: String? = nil, operation: Operation? = nil, userID: UserID? = nil,
        count: Int? = nil, updatedAt: Int64? = nil
    ) {
        self.messageID = messageID
        self.key = key
        self.operation = operation
        self.userID = userID
        self.count = count
        self.updatedAt = updatedAt
    }

    enum CodingKeys: String, CodingKey {
        case key, operation, count
        case messageID = "message_id"
        case userID = "user_id"
        case updatedAt = "updated_at"
    }
}

/// An emoji for reactions: an image or a character (`R1`).
public struct Emoji: Codable, Hashable, Sendable {
    /// The key of reactions with it: `[A-Za-z0-9_.+:-]{1,64}`.
    public var key: String
    /// The URL of the image; nil for a character.
    public var url: String?
    /// The character; nil for an image.
    public var character: String?
    /// The category in which a client shows it; nil if unset.
    public var category: String?

    /// Creates a value from its fields.
    public init(key: String, url: String? = nil, character: String? = nil, category: String? = nil) {
        self.key = key
        self.url = url
        self.character = character
        self.category = category
    }
}
