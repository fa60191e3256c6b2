import ChatModel
import WireProtocol

/// Converts the objects of another chat's export, one after the other, into lines of an import (`PR3`).
package protocol ImportConverter {
    /// The names of members that are lists of objects, in exports that are one large object.
    static var lists: [String] { get }
    /// Returns the lines that an object leads to; empty for kinds that are not imported.
    mutating func lines(of element: JSONFields) throws(ConversionFailure) -> [ImportLine]
}

/// Why an object cannot be converted.
package struct ConversionFailure: Error, Equatable {
    /// The field and its problem, without its value.
    package let problem: String

    package init(_ problem: String) { self.problem = problem }

    /// - Parameter error: What decoding has thrown.
    package init(decoding error: any Error) {
        switch error {
        case let invalid as InvalidValue: problem = "\(invalid.field): must be \(invalid.expected)"
        case let many as WireDecoder.TooMany: problem = "\(many.field): more than \(many.limit)"
        case let error as DecodingError: problem = Self.explain(error)
        default: problem = "not an object that can be imported"
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context): "\(path(context, key)) is missing"
        case .valueNotFound(_, let context): "\(path(context)) must not be null"
        case .typeMismatch(_, let context): "\(path(context)) has the wrong type"
        case .dataCorrupted(let context): "\(path(context)) has an invalid value"
        @unknown default: "not an object that can be imported"
        }
    }
}

/// What the converters share: users and emojis become lines when they are first met.
struct MetPeople {
    private var users: Set<UserID> = []
    private var emojis: Set<String> = []

    /// Returns a line unless the user was met before.
    mutating func meet(_ user: ImportedUser) -> [ImportLine] {
        guard users.insert(user.id).inserted else { return [] }
        var line = ImportLine(type: "user")
        line.user = user
        return [line]
    }

    /// Returns the key of a reaction's emoji here, with a line that registers it when it is met for the first time. Keys
    /// with other characters than those of keys become their code points.
    mutating func meet(emoji name: String) -> (key: String, lines: [ImportLine]) {
        let key =
            Self.isKey(name)
            ? name : "u" + name.unicodeScalars.prefix(8).map { String($0.value, radix: 16) }.joined(separator: "-")
        guard emojis.insert(key).inserted else { return (key, []) }
        let shown = Self.characters[name] ?? String(String.UnicodeScalarView(name.unicodeScalars.prefix(16)))
        var line = ImportLine(type: "emoji")
        line.emoji = Emoji(key: key, url: nil, character: PlainName.cut(shown, 16), category: nil)
        return (key, [line])
    }

    private static func isKey(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_.+:-".utf8.contains(byte)
                }
            }
    }

    /// The characters of the reactions that the other chats' clients offer.
    private static let characters = [
        "like": "👍", "love": "❤️", "haha": "😂", "wow": "😮", "sad": "😢", "angry": "😠",
        "sendbird_emoji_heart_eyes": "😍", "sendbird_emoji_laughing": "😆", "sendbird_emoji_rage": "😡",
        "sendbird_emoji_sob": "😭", "sendbird_emoji_sweat_smile": "😅", "sendbird_emoji_thumbsup": "👍",
        "sendbird_emoji_thumbsdown": "👎",
    ]
}
