import ChatModel

/// Makes names acceptable, which other chats check less.
enum PlainName {
    /// Replaces control characters by spaces and cuts the text.
    ///
    /// - Parameter limit: In code points.
    static func cut(_ text: String, _ limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            kept.append(scalar.isControl || scalar.isBidirectionalControl ? " " : scalar)
        }
        return String(kept)
    }

    /// Returns a URL that a message may link to; `nil` for others.
    static func link(_ url: String?) -> String? {
        guard let url, url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf8.count <= 2_048,
            !url.unicodeScalars.contains(where: { $0.isControl || $0.isBidirectionalControl })
        else { return nil }
        return url
    }

    /// Returns a link to a file that a message may contain; `nil` if its URL is not acceptable.
    static func file(_ url: String?, name: String?, size: Int64?, mimeType: String?) -> MessageFile? {
        guard let url = link(url) else { return nil }
        return MessageFile(
            url: url, name: name.map { cut($0, 200) }, size: size.flatMap { $0 > 0 ? $0 : nil },
            mimeType: mimeType.flatMap(mediaType))
    }

    /// Returns a media type without its parameters; `nil` if it is none.
    private static func mediaType(_ text: String) -> String? {
        var type = text.prefix { $0 != ";" }
        while type.last == " " { type.removeLast() }
        return type.utf8.count <= 127 && MediaType.isValid(String(type)) ? String(type) : nil
    }

    /// Returns `nil` for an empty text.
    static func content(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    /// Replaces the characters that a channel id cannot have by `~`.
    static func channelID(_ text: String) -> ChannelID? {
        ChannelID(
            String(
                decoding: text.utf8.map { byte in
                    ChannelID(String(decoding: [byte], as: UTF8.self)) == nil ? UInt8(ascii: "~") : byte
                }, as: UTF8.self))
    }
}
