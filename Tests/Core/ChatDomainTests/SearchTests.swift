import ChatDomain
import ChatModel
import TestSupport
import Testing

/// Covers `MS10`.
@Suite struct SearchTests {
    private func find(
        _ query: String, for user: UserID = ann, in channel: ChannelID? = nil, _ chat: inout Chat
    ) throws -> [String] {
        try chat.ask(SearchMessages(channelID: channel, query: query), as: .user(user)).messages.compactMap(\.text)
    }

    @Test
    func `MS10: all words must occur, in any order and case, even within words; results are newest first`() throws {
        var chat = Chat()
        try chat.create()
        for text in ["The bells ring", "ring the BELL", "a bell", "Grüße aus KÖLN", "東京タワー"] { try chat.say(text) }
        #expect(try find("bell ring", &chat) == ["ring the BELL", "The bells ring"])
        #expect(try find("  RING\n bell\t", &chat) == ["ring the BELL", "The bells ring"])
        #expect(try find("bell", &chat) == ["a bell", "ring the BELL", "The bells ring"])
        #expect(try find("köln GRÜSSE", &chat).isEmpty, "ß is not ss: letters are compared, not languages")
        #expect(try find("köln grüße", &chat) == ["Grüße aus KÖLN"])
        #expect(try find("京タ", &chat) == ["東京タワー"])
        #expect(try find("bell tower", &chat).isEmpty)
    }

    @Test func `MS10: a search covers all the user's channels, or only the one named`() throws {
        var chat = Chat()
        try chat.create("a", with: [bob])
        try chat.create("b", isPublic: true)
        try chat.asksBeforeJoining(cat)
        try chat.create("c", with: [cat])
        for (text, channel) in [("x1", "a"), ("x2", "b"), ("x3", "c"), ("x4", "a")] as [(String, ChannelID)] {
            try chat.say(text, in: channel)
        }
        #expect(try find("x", &chat) == ["x4", "x3", "x2", "x1"])
        #expect(try find("x", in: "a", &chat) == ["x4", "x1"])
        #expect(try find("x", for: bob, &chat) == ["x4", "x1"])
        #expect(try find("x", for: cat, &chat).isEmpty, "invited only")
        #expect(try find("x", for: dan, &chat).isEmpty)
        #expect(chat.refusal(of: SearchMessages(channelID: "a", query: "x"), as: .user(cat)) == .notFound)
        #expect(chat.refusal(of: SearchMessages(channelID: "b", query: "x"), as: .user(cat)) == .notAMember)
        #expect(chat.refusal(of: SearchMessages(channelID: "c", query: "x"), as: .user(cat)) == .invitedNotMember)
        #expect(try chat.ask(SearchMessages(channelID: "a", query: "x"), as: .server).messages.count == 2)
        #expect(chat.refusal(of: SearchMessages(query: "x"), as: .server) == .badRequest)
        try chat.run(LeaveChannel(channelID: "a"), as: .user(bob))
        #expect(try find("x", for: bob, &chat).isEmpty)
    }

    @Test
    func `MS10: deleted messages are not found, edited ones by their new text, and replies like any others`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let one = try chat.say("word one")
        let two = try chat.say("word two")
        try chat.say("word reply", by: bob, to: two.id, alsoInChannel: false)
        try chat.run(DeleteMessage(channelID: general, messageID: one.id), as: .user(ann))
        try chat.run(UpdateMessage(channelID: general, messageID: two.id, text: "another"), as: .user(ann))
        #expect(try find("word", &chat) == ["word reply"])
        #expect(try find("another", &chat) == ["another"])
        #expect(try find("one", &chat).isEmpty)
    }

    @Test func `MS8, MS10: no text of a deleted message is kept in the search index`() throws {
        var chat = Chat()
        try chat.create()
        try chat.say("needle")
        let hay = String(repeating: "hay ", count: FieldLimits.textBytes / 4)
        for _ in 0...SearchMessages.scanBytes / FieldLimits.textBytes {
            try chat.run(DeleteMessage(channelID: general, messageID: try chat.say(hay).id), as: .user(ann))
        }
        let page = try chat.ask(SearchMessages(query: "needle"), as: .user(ann))
        #expect(page.messages.count == 1 && page.next == nil)
    }

    @Test func `MS10, CH7: nothing from before the visible history is found or quoted`() throws {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = Chat(settings: settings)
        try chat.create()
        let secret = try chat.say("secret word")
        _ = try chat.invite([bob])
        try chat.say("open word", to: secret.id)
        let found = try chat.ask(SearchMessages(query: "word"), as: .user(bob)).messages
        #expect(found.map(\.text) == ["open word"])
        #expect(found.first?.parent?.state == .unavailable && found.first?.parent?.text == nil)
        #expect(try find("secret", for: bob, &chat).isEmpty)
        #expect(try find("word", &chat) == ["open word", "secret word"])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `MS10: pages contain each message once, newest first, while messages are added and deleted`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var chat = Chat(seed: seed)
        let channels: [ChannelID] = ["c1", "c2", "c3", "c4"]
        for channel in channels { try chat.create(channel) }
        var expected: [String] = []
        for number in 0..<80 {
            // Many messages share a timestamp, and then the channel's id decides.
            chat.step = random.chance(percent: 30) ? 1 : 0
            let isMatch = random.chance(percent: 60)
            let message = try chat.say("\(isMatch ? "yes" : "no") \(number)", in: random.pick(channels))
            if isMatch { expected.append(message.text ?? "") }
        }
        var got: [Message] = []
        var token: String?
        repeat {
            let page = try chat.ask(
                SearchMessages(query: "yes", limit: Int.random(in: 1...9, using: &random), next: token),
                as: .user(ann))
            got += page.messages
            token = page.next
            chat.step = Int64.random(in: 0...1, using: &random)
            try chat.say("yes, late", in: random.pick(channels))
        } while token != nil
        let texts = got.compactMap(\.text).filter { $0 != "yes, late" }
        #expect(texts.count == expected.count && Set(texts) == Set(expected), "seed \(seed)")
        #expect(zip(got, got.dropFirst()).allSatisfy { $0.createdAt >= $1.createdAt }, "seed \(seed)")
        #expect(Set(got.map(\.id)).count == got.count, "seed \(seed)")
    }

    @Test func `MS10: one call scans a limited range, and the next call continues from there`() throws {
        var chat = Chat()
        try chat.create()
        try chat.say("needle")
        let hay = String(repeating: "h", count: FieldLimits.textBytes)
        for _ in 0..<SearchMessages.scanBytes / FieldLimits.textBytes { try chat.say(hay) }
        let first = try chat.ask(SearchMessages(query: "needle"), as: .user(ann))
        #expect(first.messages.isEmpty)
        let token = try #require(first.next)
        let second = try chat.ask(SearchMessages(query: "needle", next: token), as: .user(ann))
        #expect(second.messages.map(\.text) == ["needle"] && second.next == nil)
    }

    @Test(
        arguments: [
            (SearchMessages(query: ""), .invalidValue), (SearchMessages(query: " \n "), .invalidValue),
            (SearchMessages(query: String(repeating: "x", count: 257)), .tooLong),
            (SearchMessages(query: String(repeating: "x", count: 256)), nil),
            (SearchMessages(query: "x", limit: 0), .invalidValue),
            (SearchMessages(query: "x", limit: 101), .invalidValue),
            (SearchMessages(query: "x", next: "nonsense"), .badRequest),
            (SearchMessages(query: "x", next: "s1.-1.0.0.general"), .badRequest),
            (SearchMessages(query: "x", next: "1.0.0"), .badRequest),
        ] as [(SearchMessages, ErrorCode?)])
    func `MS10: an invalid search is refused`(search: SearchMessages, expected: ErrorCode?) {
        var chat = Chat()
        #expect(chat.refusal(of: search, as: .user(ann)) == expected)
    }

    @Test func `MS10: a page token is valid only for its search`() throws {
        var chat = Chat()
        try chat.create()
        for _ in 0..<3 { try chat.say("word") }
        let page = try chat.ask(SearchMessages(query: "word", limit: 1), as: .user(ann))
        let token = try #require(page.next)
        #expect(chat.refusal(of: SearchMessages(query: "other", next: token), as: .user(ann)) == .badRequest)
        #expect(
            chat.refusal(of: SearchMessages(channelID: general, query: "word", next: token), as: .user(ann))
                == .badRequest)
        #expect(chat.refusal(of: SearchMessages(query: "word", limit: 7, next: token), as: .user(ann)) == nil)
    }
}
