import ChatDomain
import ChatModel
import Testing

/// Covers `R1`.
@Suite struct EmojiTests {
    private func list(_ chat: inout Chat) throws -> ListEmojis.Response { try chat.ask(ListEmojis(), as: .user(ann)) }

    @Test func `R1: an app starts with seven default emojis`() throws {
        var chat = Chat()
        let answer = try list(&chat)
        #expect(
            answer.emojis.map(\.key) == [
                "heart_eyes", "laughing", "rage", "sob", "sweat_smile", "thumbs_up", "thumbs_down",
            ])
        #expect(answer.emojis.allSatisfy { $0.character != nil && $0.category == "default" })
        #expect(answer.hash == chat.state.emojiHash && answer.hash == Chat().state.emojiHash)
    }

    @Test func `R1: every property of an emoji affects the hash of the list`() throws {
        let looks = [
            CreateEmoji(key: "party", character: "🎉"), CreateEmoji(key: "feast", character: "🎉"),
            CreateEmoji(key: "party", character: "🥳"), CreateEmoji(key: "party", url: "https://example.org/a.png"),
            CreateEmoji(key: "party", character: "🎉", category: "feast"),
        ]
        let hashes = try looks.map { look in
            var chat = Chat()
            return try chat.run(look, as: .server).hash
        }
        #expect(Set(hashes).count == looks.count)
    }

    @Test func `R1: the list keeps the order of registration, and its hash changes exactly when it does`() throws {
        var chat = Chat()
        let initial = try list(&chat)
        let party = CreateEmoji(key: "party", character: "🎉", category: "feast")
        let made = try chat.run(party, as: .server)
        #expect(made.emoji == Emoji(key: "party", character: "🎉", category: "feast"))
        let longer = try list(&chat)
        #expect(longer.emojis == initial.emojis + [made.emoji])
        #expect(longer.hash == made.hash && made.hash != initial.hash)
        // A retry after a lost response changes nothing.
        #expect(try chat.run(party, as: .server) == made && chat.lastRecords.isEmpty)
        #expect(chat.refusal(of: CreateEmoji(key: "party", character: "🥳"), as: .server) == .invalidValue)
        let logo = try chat.run(CreateEmoji(key: "logo", url: "https://example.org/logo.png"), as: .server)
        #expect(try list(&chat).emojis.last?.url == "https://example.org/logo.png")
        // The same two emojis in another order are a different list.
        try chat.run(DeleteEmoji(key: "party"), as: .server)
        try chat.run(party, as: .server)
        #expect(try list(&chat).emojis.suffix(2).map(\.key) == ["logo", "party"])
        #expect(try list(&chat).hash != logo.hash)
        let gone = try chat.run(DeleteEmoji(key: "logo"), as: .server)
        #expect(gone.emoji.key == "logo" && gone.hash == made.hash, "the same list again")
        #expect(chat.refusal(of: DeleteEmoji(key: "logo"), as: .server) == .unknownEmoji)
        #expect(chat.replayed.emojiHash == chat.state.emojiHash)
        #expect(chat.heard(by: ann).isEmpty, "told at the next connect")
    }

    @Test func `R1: a deleted emoji is refused; existing reactions with it stay and can be removed`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let message = try chat.say("hello")
        let add = AddReaction(channelID: general, messageID: message.id, key: "rage")
        let remove = RemoveReaction(channelID: general, messageID: message.id, key: "rage")
        try chat.run(add, as: .user(bob))
        try chat.run(DeleteEmoji(key: "rage"), as: .server)
        #expect(chat.refusal(of: add, as: .user(ann)) == .unknownEmoji)
        #expect(chat.refusal(of: remove, as: .user(ann)) == .unknownEmoji)
        let get = GetMessage(channelID: general, messageID: message.id)
        #expect(try chat.ask(get, as: .user(ann)).message.reactions?.first?.userIDs == [bob])
        #expect(try chat.run(remove, as: .user(bob)).reaction.count == 0)
    }

    @Test(
        arguments: [
            (CreateEmoji(key: "", character: "x"), .invalidValue),
            (CreateEmoji(key: "no spaces", character: "x"), .invalidValue),
            (CreateEmoji(key: "é", character: "x"), .invalidValue), (CreateEmoji(key: "a"), .invalidValue),
            (CreateEmoji(key: "a", url: "/a", character: "x"), .invalidValue),
            (CreateEmoji(key: "a", url: "javascript:alert(1)"), .invalidValue),
            (CreateEmoji(key: "a", character: ""), .invalidValue),
            (CreateEmoji(key: "a", character: "\u{202E}"), .invalidValue),
            (CreateEmoji(key: String(repeating: "k", count: 65), character: "x"), .invalidValue),
            (CreateEmoji(key: String(repeating: "k", count: 64), character: "x"), nil),
            (CreateEmoji(key: "a", character: String(repeating: "x", count: 17)), .tooLong),
            (CreateEmoji(key: "a", character: "👩🏽‍🚀"), nil), (CreateEmoji(key: ":+1:", character: "👍🏽"), nil),
        ] as [(CreateEmoji, ErrorCode?)])
    func `R1: an emoji has a plain key, and either a URL or a character`(
        emoji: CreateEmoji, expected: ErrorCode?
    ) {
        var chat = Chat()
        #expect(chat.refusal(of: emoji, as: .server) == expected)
    }

    @Test func `R1: emojis beyond the limit are refused`() {
        var chat = Chat()
        for number in 7..<FieldLimits.emojis {
            #expect(chat.refusal(of: CreateEmoji(key: "e\(number)", character: "x"), as: .server) == nil)
        }
        #expect(chat.refusal(of: CreateEmoji(key: "one_more", character: "x"), as: .server) == .tooMany)
    }
}
