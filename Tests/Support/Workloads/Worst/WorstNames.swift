import ChatModel

/// The longest possible ids and texts; ids differ only in their last characters, so that comparing them takes longest.
package enum Worst {
    /// Four bytes of UTF-8.
    private static let wideLetter = "𝐀"
    private static let userPrefix = String(repeating: wideLetter, count: 74)
    private static let channelPrefix = String(repeating: "c", count: 80)

    /// Returns a user id of 80 code points and 302 bytes.
    static func person(_ number: Int) -> UserID {
        guard let id = UserID(userPrefix + digits(number)) else { preconditionFailure("80 letters are a user id") }
        return id
    }

    /// Returns a channel id of 100 bytes.
    static func channel(_ kind: String, _ number: Int) -> ChannelID {
        let end = kind + digits(number)
        let id = ChannelID(channelPrefix + String(repeating: "-", count: 20 - end.utf8.count) + end)
        guard let id else { preconditionFailure("100 letters are a channel id") }
        return id
    }

    /// Returns the id of a super channel with everyone in it. Other channels are named after their use.
    static func hall(_ number: Int) -> ChannelID { channel("hall", number) }
    /// Returns the id of a channel of 100 users.
    static func room(_ number: Int) -> ChannelID { channel("room", number) }
    static let large = channel("large", 0)
    static let threads = channel("threads", 0)

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
    }

    // MARK: Texts

    /// A letter whose lower case has a different size.
    static let wide = "İ"
    /// Six bytes of JSON per byte of text.
    static let escaped = "\u{1}"

    /// Returns a text of at most this many bytes.
    static func text(_ piece: String, bytes: Int) -> String {
        String(repeating: piece, count: bytes / piece.utf8.count)
    }

    /// Metadata with the maximum number of keys and bytes.
    static let metadata = Dictionary(
        uniqueKeysWithValues: (0..<50).map { (digits($0) + text(escaped, bytes: 122), text(escaped, bytes: 1_024)) })
    static let metaArrays = Dictionary(
        uniqueKeysWithValues: (0..<14).map { (digits($0) + text(escaped, bytes: 100), [text(escaped, bytes: 1_024)]) })
    static let url = "https://" + text("u", bytes: 2_040)
    static let name = text(wide, bytes: 400)
    static let nickname = text(wide, bytes: 146)
    static let data = text(escaped, bytes: 8_192)
    static let customType = text(escaped, bytes: 128)
    static let description = text(escaped, bytes: 1_024)
    static let message = text(escaped, bytes: 16_383) + "a"

    static func emoji(_ number: Int) -> String { text("e", bytes: 58) + digits(number) }
}
