/// Lists all emojis of the app in the order of registration, with the list's hash (`R1`).
public struct ListEmojis: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var emojis: [Emoji]
        /// Changes exactly when the list does; also sent at connect.
        public var hash: String
        public init(emojis: [Emoji], hash: String) {
            self.emojis = emojis
            self.hash = hash
        }
    }
    public static let method = "emoji.list"
    public init() {}
}

public struct EmojiResponse: Codable, Hashable, Sendable {
    public var emoji: Emoji
    /// The hash of the current list.
    public var hash: String
    public init(emoji: Emoji, hash: String) {
        self.emoji = emoji
        self.hash = hash
    }
}

/// Registers an emoji at the end of the list: a key, and an image's URL or a character. Server only (`R1`).
public struct CreateEmoji: Request {
    public typealias Response = EmojiResponse
    public static let method = "emoji.create"
    /// `[A-Za-z0-9_.+:-]{1,64}`
    public var key: String
    public var url: String?
    public var character: String?
    public var category: String?

    public init(key: String, url: String? = nil, character: String? = nil, category: String? = nil) {
        self.key = key
        self.url = url
        self.character = character
        self.category = category
    }
}

/// Removes an emoji from the list; existing reactions with it stay. Server only (`R1`).
public struct DeleteEmoji: Request {
    public typealias Response = EmojiResponse
    public static let method = "emoji.delete"
    public var key: String

    public init(key: String) { self.key = key }
}
