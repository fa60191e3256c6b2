import ChatModel

extension ListEmojis: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        Response(emojis: state.emojis.emojis, hash: state.emojis.hash)
    }
}

extension CreateEmoji: Change {
    private var emoji: Emoji { Emoji(key: key, url: url, character: character, category: category) }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try checkFields()
        if let earlier = state.emojis[key] {
            // A retry after a lost response.
            guard earlier == emoji else { throw Rejection(.invalidValue, "key: another emoji has this key") }
            return Decision([])
        }
        guard state.emojis.emojis.count < FieldLimits.emojis else {
            throw Rejection(.tooMany, "emojis: at most \(FieldLimits.emojis)")
        }
        return Decision([.emojiCreated(emoji)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> EmojiResponse {
        EmojiResponse(emoji: emoji, hash: state.emojis.hash)
    }

    private func checkFields() throws(Rejection) {
        let isKey = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"),
                UInt8(ascii: ":"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isKey, (1...FieldLimits.emojiKeyBytes).contains(key.utf8.count) else {
            throw Rejection(.invalidValue, "key: must match [A-Za-z0-9_.+:-]{1,\(FieldLimits.emojiKeyBytes)}")
        }
        guard (url == nil) != (character == nil) else {
            throw Rejection(.invalidValue, "exactly one of url and character is required")
        }
        try FieldChecks.url(url, "url")
        if character?.isEmpty ?? false { throw Rejection(.invalidValue, "character: must not be empty") }
        try FieldChecks.name(character, "character", atMost: FieldLimits.emojiCodePoints)
        try FieldChecks.name(category, "category", atMost: FieldLimits.nicknameCodePoints)
    }
}

extension DeleteEmoji: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        guard let emoji = state.emojis[key] else { throw Rejection(.unknownEmoji) }
        return Decision([.emojiDeleted(emoji)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> EmojiResponse {
        guard case .emojiDeleted(let emoji) = records.first?.event else { throw Rejection(.unknownEmoji) }
        return EmojiResponse(emoji: emoji, hash: state.emojis.hash)
    }
}
