import ChatModel

/// The emojis available for reactions, in the order of registration (`R1`).
struct EmojiList {
    private(set) var emojis: [Emoji] = []
    private var byKey: [String: Emoji] = [:]
    private var stableHash = StableHash()

    /// A hash of keys, appearance, categories and their order, so it changes exactly when the list does.
    var hash: String { String(stableHash.value, radix: 36) }

    /// The seven emojis of a new app.
    static let initial: [Emoji] = [
        ("heart_eyes", "😍"), ("laughing", "😆"), ("rage", "😡"), ("sob", "😭"), ("sweat_smile", "😅"),
        ("thumbs_up", "👍"), ("thumbs_down", "👎"),
    ].map { Emoji(key: $0.0, character: $0.1, category: "default") }

    init(_ emojis: [Emoji] = initial) {
        for emoji in emojis { add(emoji) }
    }

    subscript(key: String) -> Emoji? { byKey[key] }

    mutating func add(_ emoji: Emoji) {
        if byKey[emoji.key] != nil { remove(emoji.key) }
        emojis.append(emoji)
        byKey[emoji.key] = emoji
        stableHash.combine(emoji.key)
        stableHash.combine(emoji.url)
        stableHash.combine(emoji.character)
        stableHash.combine(emoji.category)
    }

    mutating func remove(_ key: String) { self = EmojiList(emojis.filter { $0.key != key }) }
}
