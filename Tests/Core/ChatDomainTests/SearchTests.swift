import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Covers `MS10` and the part of `SE1` that the state decides. `SearchIndexTests` covers the index.
@Suite struct SearchTests {
    private func find(
        _ query: String, for user: UserID = ann, in channel: ChannelID? = nil, _ chat: inout Chat
    ) throws -> [String] {
        try chat.ask(SearchMessages(channelID: channel, query: query), as: .user(user)).messages.compactMap(\.text)
    }

    @Test func `MS10, SE1: all terms must occur, in any order, case and spelling; results are newest first`() throws {
        var chat = Chat()
        try chat.create()
        for text in ["The bells ring", "ring the BELL", "a bell", "Grüße aus KÖLN", "東京タワー"] { try chat.say(text) }
        #expect(try find("bell ring", &chat) == ["ring the BELL"])
        #expect(try find("  RING\n bell*\t", &chat) == ["ring the BELL", "The bells ring"])
        #expect(try find("bell*", &chat) == ["a bell", "ring the BELL", "The bells ring"])
        #expect(try find("\"the bell\"", &chat) == ["ring the BELL"])
        #expect(try find("köln GRÜSSE", &chat) == ["Grüße aus KÖLN"])
        #expect(try find("koln grusse", &chat) == ["Grüße aus KÖLN"])
        #expect(try find("京タ", &chat) == ["東京タワー"])
        #expect(try find("京", &chat) == ["東京タワー"])
        #expect(try find("bell tower", &chat).isEmpty)
    }

    @Test func `SE1: filters narrow a search`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let first = try chat.say("word one")
        try chat.say("word two", by: bob)
        let third = try chat.say("word three")
        func find(_ search: SearchMessages) throws -> [String] {
            try chat.ask(search, as: .user(ann)).messages.compactMap(\.text)
        }
        #expect(try find(SearchMessages(query: "word", userIDs: [bob])) == ["word two"])
        #expect(try find(SearchMessages(query: "word", userIDs: [cat])).isEmpty)
        #expect(try find(SearchMessages(query: "word", userIDs: [])).isEmpty)
        #expect(try find(SearchMessages(query: "word", userIDs: [ann, bob])).count == 3)
        #expect(try find(SearchMessages(query: "word", kind: .text)).count == 3)
        #expect(try find(SearchMessages(query: "word", kind: .file)).isEmpty)
        #expect(try find(SearchMessages(query: "word", hasFiles: true)).isEmpty)
        #expect(try find(SearchMessages(query: "word", hasFiles: false)).count == 3)
        #expect(try find(SearchMessages(query: "word", after: third.createdAt)) == ["word three"])
        #expect(try find(SearchMessages(query: "word", before: third.createdAt)) == ["word two", "word one"])
        #expect(
            try find(SearchMessages(query: "word", after: first.createdAt + 1, before: third.createdAt))
                == ["word two"])
        #expect(try find(SearchMessages(query: "word", after: .max, before: .min)).isEmpty)
        let tooMany = (0...FieldLimits.idsPerCommand).compactMap { UserID("u\($0)") }
        #expect(chat.refusal(of: SearchMessages(query: "word", userIDs: tooMany), as: .user(ann)) == .tooMany)
    }

    @Test func `SE1: marks name the places of the words, in UTF-16 units`() throws {
        var chat = Chat()
        try chat.create()
        try chat.say("🎉 Straße, STRASSE und 東京都")
        let found = try chat.ask(SearchMessages(query: "strasse 京都"), as: .user(ann))
        #expect(found.marks == [[[3, 6], [11, 7], [24, 2]]])
        #expect(found.isComplete)
    }

    @Test func `SE1: by relevance, the best of the newest matches come first, in pages that stay the same`() throws {
        var chat = Chat()
        try chat.create()
        for number in 0..<20 {
            try chat.say(Array(repeating: "bell", count: number % 4 + 1).joined(separator: " ") + " x\(number)")
        }
        func page(_ token: String?) throws -> SearchMessages.Response {
            try chat.ask(
                SearchMessages(query: "bell", order: .relevance, limit: 6, next: token), as: .user(ann))
        }
        var texts: [String] = []
        var token: String?
        repeat {
            let found = try page(token)
            texts += found.messages.compactMap(\.text)
            token = found.next
            try chat.say("bell bell bell")
        } while token != nil
        let counts = texts.map { $0.split(separator: " ").count - 1 }
        #expect(counts == counts.sorted(by: >) && texts.count == 20 && Set(texts).count == 20)
        #expect(texts.first == "bell bell bell bell x19")
        let newest = try chat.ask(SearchMessages(query: "bell", limit: 1), as: .user(ann))
        let other = try #require(newest.next)
        #expect(
            chat.refusal(of: SearchMessages(query: "bell", order: .relevance, next: other), as: .user(ann))
                == .badRequest)
    }

    @Test func `SE1: a page examines a limited number of messages that the index names in vain`() throws {
        var chat = Chat()
        try chat.create()
        try chat.say("needle")
        let hay = String(repeating: "hay ", count: FieldLimits.textBytes / 4)
        for _ in 0..<SearchRun.examinedBytes / FieldLimits.textBytes { try chat.say(hay) }
        let context = Context(
            caller: .user(ann), now: chat.now, freshID: MessageID(high: 0, low: 1), settings: chat.settings)
        var (pages, found) = (0, [String]())
        var token: String?
        repeat {
            var step = try SearchMessages(query: "needle", next: token).begin(in: chat.state, context)
            search: while true {
                switch step {
                case .answered(let page):
                    (pages, token) = (pages + 1, page.next)
                    found += page.messages.compactMap(\.text)
                    break search
                case .unfinished(let rest):
                    context.work.beginSlice()
                    step = try rest(chat.state, context)
                case .lookup(let lookup, let rest):
                    let all = lookup.ranges.map { range in
                        SearchFindings.Part(
                            offsets: range.offsets.reversed().filter { $0 > 0 }, reached: 0, isKnown: false)
                    }
                    step = try rest(SearchFindings(parts: all), chat.state, context)
                }
            }
        } while token != nil
        #expect(found == ["needle"] && pages == 2)
    }

    @Test func `SE1: what the index names is checked against what the caller may see`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let deleted = try chat.say("word")
        try chat.run(DeleteMessage(channelID: general, messageID: deleted.id), as: .user(ann))
        try chat.say("word")
        let context = Context(
            caller: .user(bob), now: chat.now, freshID: MessageID(high: 0, low: 1), settings: chat.settings)
        let query = SearchMessages(query: "word")
        guard case .lookup(let lookup, let rest) = try query.begin(in: chat.state, context) else {
            Issue.record("no lookup")
            return
        }
        let every = SearchFindings(
            parts: lookup.ranges.map { range in
                SearchFindings.Part(offsets: range.offsets.reversed(), reached: 1, isKnown: true)
            })
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        guard case .answered(let page) = try rest(every, chat.state, context) else {
            Issue.record("no answer")
            return
        }
        #expect(page.messages.isEmpty)
    }

    @Test func `MS10: a search covers all the user's channels, or only the one named`() throws {
        var chat = Chat()
        try chat.create("a", with: [bob])
        try chat.create("b", isPublic: true)
        try chat.asksBeforeJoining(cat)
        try chat.create("c", with: [cat])
        for (text, channel) in [("x 1", "a"), ("x 2", "b"), ("x 3", "c"), ("x 4", "a")] as [(String, ChannelID)] {
            try chat.say(text, in: channel)
        }
        #expect(try find("x", &chat) == ["x 4", "x 3", "x 2", "x 1"])
        #expect(try find("x", in: "a", &chat) == ["x 4", "x 1"])
        #expect(try find("x", for: bob, &chat) == ["x 4", "x 1"])
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

    @Test(
        arguments: [
            (SearchMessages(query: ""), .invalidValue), (SearchMessages(query: " \n "), .invalidValue),
            (SearchMessages(query: String(repeating: "x", count: 257)), .tooLong),
            (SearchMessages(query: String(repeating: "x", count: 256)), nil),
            (SearchMessages(query: "x", limit: 0), .invalidValue),
            (SearchMessages(query: "x", limit: 101), .invalidValue),
            (SearchMessages(query: "x", next: "nonsense"), .badRequest),
            (SearchMessages(query: "x", next: "s1.-1.0.0.general"), .badRequest),
            (SearchMessages(query: "x", next: "s2.-1.0.0.general"), .badRequest),
            (SearchMessages(query: "x", order: .relevance, next: "r2.0.0.0.0.0.0.zzzzzz.general"), .badRequest),
            (SearchMessages(query: "x", order: .relevance, next: "r2.0.0.0.0.0.0.-1.generalgeneral"), .badRequest),
            (SearchMessages(query: "!? *"), .invalidValue),
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
