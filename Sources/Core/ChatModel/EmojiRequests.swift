/// Lists all emojis of the app in the order of registration, with a hash of the list (`R1`).
public struct ListEmojis: Request {
    /// The response to `emoji.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The emojis, in the order of registration.
        public var emojis: [Emoji]
        /// A hash that changes exactly when the list does; clients also receive it when they connect.
        public var hash: String
        /// Creates a response from its fields.
        public init(emojis: [Emoji], hash: String) {
            self.emojis = emojis
            self.hash = hash
        }
    }
    /// The method name.
    public static let method = "emoji.list"
    /// Creates an `emoji.list` request.
    public init() {}
}

/// The response to a change of the emoji list.
public struct EmojiResponse: Codable, Hashable, Sendable {
    /// The added or removed emoji.
    public var emoji: Emoji
    /// The hash of the changed list.
    public var hash: String
    /// Creates a value from its fields.
    public init(emoji: Emoji, hash: String) {
        self.emoji = emoji
        self.hash = hash
    }
}

/// Appends an emoji to the list: a key with either an image URL or a character. Server only (`R1`).
public struct CreateEmoji: Request {
    /// The response to `emoji.create`.
    public typealias Response = EmojiResponse
    /// The method name.
    public static let method = "emoji.create"
    /// The key of reactions that use it: `[A-Za-z0-9_.+:-]{1,64}`.
    public var key: String
    /// The URL of the image; mutually exclusive with `character`.
    public var url: String?
    /// The character, instead of an image.
    public var character: String?
    /// The category under which clients show it; nil for none.
    public var category: String?

    /// Creates an `emoji.create` request; nil arguments are omitted.
    public init(key: String, url: String? = nil, character: String? = nil, category: String? = nil) {
        self.key = key
        self.url = url
        self.character = character
        self.category = category
    }
}

/// Removes an emoji from the list; existing reactions that use it are kept. Server only (`R1`).
public struct DeleteEmoji: Request {
    /// The response to `emoji.delete`.
    public typealias Response = EmojiResponse
    /// The method name.
    public static let method = "emoji.delete"
    /// The key of the emoji to remove.
    public var key: String

    /// Creates an `emoji.delete` request.
    public init(key: String) { self.key = key }
}
