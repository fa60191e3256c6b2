import ChatModel

/// The emojis available for reactions, in the order of registration (`R1`).
struct EmojiList {
    private(set) var emojis: [Emoji]
    private var byKey: [String: Emoji]
    /// A hash of keys, appearance, categories and their order, so it changes exactly when the list does.
    private(set) var hash: String

    /// The seven emojis of a new app.
    static let initial: [Emoji] = [
        ("heart_eyes", "😍"), ("laughing", "😆"), ("rage", "😡"), ("sob", "😭"), ("sweat_smile", "😅"),
        ("thumbs_up", "👍"), ("thumbs_down", "👎"),
    ].map { Emoji(key: $0.0, character: $0.1, category: "default") }

    init(_ emojis: [Emoji] = initial) {
        self.emojis = emojis
        byKey = Dictionary(emojis.map { ($0.key, $0) }) { _, last in last }
        hash = Self.hash(emojis)
    }

    subscript(key: String) -> Emoji? { byKey[key] }

    mutating func add(_ emoji: Emoji) { self = EmojiList(emojis.filter { $0.key != emoji.key } + [emoji]) }

    mutating func remove(_ key: String) { self = EmojiList(emojis.filter { $0.key != key }) }

    private static func hash(_ emojis: [Emoji]) -> String {
        var hash = StableHash()
        for emoji in emojis {
            hash.combine(emoji.key)
            hash.combine(emoji.url)
            hash.combine(emoji.character)
            hash.combine(emoji.category)
        }
        return String(hash.value, radix: 36)
    }
}
