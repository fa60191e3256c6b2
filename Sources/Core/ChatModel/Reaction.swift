/// All reactions to a message with one key, as one reader sees them (`R3`).
public struct Reaction: Codable, Hashable, Sendable {
    /// The reactions' key.
    public var key: String
    /// The number of users who reacted.
    public var count: Int
    /// The first users who reacted, oldest reaction first.
    public var userIDs: [UserID]
    /// Whether the reader has reacted with this key.
    public var mine: Bool
    /// When the reactions with this key last changed, in milliseconds since 1970.
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
/// Changes to one message can be applied in any order. The last operation per user and key decides the set of
/// reactions. The change with the greatest `updatedAt` decides the count; no two changes to a message share this value.
/// Readers who cannot see the message get only its id (`CH7`).
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
    /// The user who reacted.
    public var userID: UserID?
    /// The number of users who now have a reaction with this key.
    public var count: Int?
    /// When the reaction changed, in milliseconds since 1970; later than every earlier change to the message. Absent if
    /// nobody has ever reacted.
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
    /// The key of reactions that use it: `[A-Za-z0-9_.+:-]{1,64}`.
    public var key: String
    /// The URL of the image; nil for a character.
    public var url: String?
    /// The character; nil for an image.
    public var character: String?
    /// The category under which clients show it; nil if unset.
    public var category: String?

    /// Creates a value from its fields.
    public init(key: String, url: String? = nil, character: String? = nil, category: String? = nil) {
        self.key = key
        self.url = url
        self.character = character
        self.category = category
    }
}
