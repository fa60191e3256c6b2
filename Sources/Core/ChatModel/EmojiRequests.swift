/// Lists all emojis of the app in the order of registration, with the list's hash (`R1`).
public struct ListEmojis: Request {
    /// The server's answer to `emoji.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The emojis, in the order of registration.
        public var emojis: [Emoji]
        /// Changes exactly when the list does; also sent at connect.
        public var hash: String
        /// Creates a response from its fields.
        public init(emojis: [Emoji], hash: String) {
            self.emojis = emojis
            self.hash = hash
        }
    }
    /// The name of the method on the wire.
    public static let method = "emoji.list"
    /// Creates a `emoji.list` request.
    public init() {}
}

/// The answer to a change of the emoji list.
public struct EmojiResponse: Codable, Hashable, Sendable {
    /// The added or removed emoji.
    public var emoji: Emoji
    /// The hash of the current list.
    public var hash: String
    /// Creates a value from its fields.
    public init(emoji: Emoji, hash: String) {
        self.emoji = emoji
        self.hash = hash
    }
}

/// Registers an emoji at the end of the list: a key, and an image's URL or a character. Server only (`R1`).
public struct CreateEmoji: Request {
    /// The server's answer to `emoji.create`.
    public typealias Response = EmojiResponse
    /// The name of the method on the wire.
    public static let method = "emoji.create"
    /// `[A-Za-z0-9_.+:-]{1,64}`
    public var key: String
    /// The URL of the image; either this or `character` is given.
    public var url: String?
    /// The character, instead of an image.
    public var character: String?
    /// The category in which clients show it; nil for none.
    public var category: String?

    /// Creates a `emoji.create` request; a nil argument leaves its field out.
    public init(key: String, url: String? = nil, character: String? = nil, category: String? = nil) {
        self.key = key
        self.url = url
        self.character = character
        self.category = category
    }
}

/// Removes an emoji from the list; existing reactions with it stay. Server only (`R1`).
public struct DeleteEmoji: Request {
    /// The server's answer to `emoji.delete`.
    public typealias Response = EmojiResponse
    /// The name of the method on the wire.
    public static let method = "emoji.delete"
    /// The key of the emoji to remove.
    public var key: String

    /// Creates a `emoji.delete` request.
    public init(key: String) { self.key = key }
}
