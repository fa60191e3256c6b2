import ChatDomain
import ChatModel
import Testing

/// Covers `MS4` and `MS5`.
@Suite struct MessageListTests {
    /// Returns a chat with seven messages, the third to fifth with the same timestamp.
    private func begin() throws -> (chat: Chat, messages: [Message]) {
        var chat = Chat()
        try chat.create(with: [bob])
        var messages: [Message] = []
        for number in 0..<7 {
            chat.step = number == 3 || number == 4 ? 0 : 10
            messages.append(try chat.say("m\(number)", by: number % 2 == 0 ? ann : bob))
        }
        return (chat, messages)
    }

    struct Around: Sendable {
        var anchor: Int
        var byTime = true
        /// Milliseconds relative to the anchor's time.
        var shift: Int64 = 0
        var previous: Int?
        var next: SizeOrToken?
        var inclusive: Bool?
        var numbers: [Int]
        var more: (previous: Bool, next: Bool)
    }

    @Test(arguments: [
        Around(anchor: 1, previous: 0, next: 0, numbers: [1], more: (true, true)),
        Around(anchor: 1, previous: 0, next: 0, inclusive: false, numbers: [], more: (true, true)),
        Around(anchor: 1, previous: 1, next: 0, numbers: [0, 1], more: (false, true)),
        Around(anchor: 1, next: 1, numbers: [1, 2, 3, 4], more: (true, true)),
        Around(anchor: 1, next: 3, inclusive: false, numbers: [2, 3, 4], more: (true, true)),
        Around(anchor: 1, next: 4, inclusive: false, numbers: [2, 3, 4, 5], more: (true, true)),
        Around(anchor: 3, previous: 0, next: 0, numbers: [2, 3, 4], more: (true, true)),
        Around(anchor: 3, previous: 1, next: 1, inclusive: false, numbers: [1, 5], more: (true, true)),
        Around(anchor: 5, previous: 1, next: 0, inclusive: false, numbers: [2, 3, 4], more: (true, true)),
        Around(anchor: 5, shift: -1, previous: 1, next: 1, numbers: [2, 3, 4, 5], more: (true, true)),
        Around(anchor: 5, shift: 1, previous: 1, next: 1, numbers: [5, 6], more: (true, false)),
        Around(anchor: 0, shift: -1, previous: 5, next: 1, numbers: [0], more: (false, true)),
        Around(anchor: 6, shift: 1, previous: 1, next: 5, numbers: [6], more: (true, false)),
        Around(anchor: 6, numbers: [0, 1, 2, 3, 4, 5, 6], more: (false, false)),
        Around(anchor: 3, byTime: false, previous: 1, next: 1, numbers: [2, 3, 4], more: (true, true)),
        Around(anchor: 3, byTime: false, previous: 1, next: 1, inclusive: false, numbers: [2, 4], more: (true, true)),
        Around(anchor: 0, byTime: false, previous: 1, next: 0, numbers: [0], more: (false, true)),
        Around(anchor: 6, byTime: false, previous: 0, next: 1, inclusive: false, numbers: [], more: (true, false)),
    ])
    func `MS4: a list has messages on both sides of a time or a message, including ties at the boundary`(
        row: Around
    ) throws {
        var (chat, messages) = try begin()
        for reverse in [false, true] {
            var query = ListMessages(
                channelID: general, previous: row.previous, next: row.next, inclusive: row.inclusive, reverse: reverse)
            if row.byTime {
                query.at = messages[row.anchor].createdAt + row.shift
            } else {
                query.messageID = messages[row.anchor].id
            }
            let answer = try chat.ask(query, as: .user(bob))
            let expected = row.numbers.map { messages[$0].id }
            #expect(answer.messages.map(\.id) == (reverse ? expected.reversed() : expected))
            #expect((answer.hasPrevious, answer.hasNext) == row.more)
            #expect(answer.next == nil, "tokens are for pages")
        }
    }

    @Test(
        arguments: [
            (ListMessages(channelID: general), nil), (ListMessages(channelID: general, limit: 1), nil),
            (ListMessages(channelID: general, limit: 100), nil),
            (ListMessages(channelID: general, limit: 0), .invalidValue),
            (ListMessages(channelID: general, limit: 101), .invalidValue),
            (ListMessages(channelID: general, at: 0, previous: 100), nil),
            (ListMessages(channelID: general, at: 0, previous: 101), .invalidValue),
            (ListMessages(channelID: general, at: 0, previous: -1), .invalidValue),
            (ListMessages(channelID: general, at: 0, next: 100), nil),
            (ListMessages(channelID: general, at: 0, next: 101), .invalidValue),
            (ListMessages(channelID: general, at: 0, next: -1), .invalidValue),
            (ListMessages(channelID: general, at: 0, limit: 1), .badRequest),
            (ListMessages(channelID: general, at: 0, messageID: MessageID(high: 1, low: 1)), .badRequest),
            (ListMessages(channelID: general, messageID: MessageID(high: 1, low: 1)), .notFound),
            (ListMessages(channelID: general, next: 3), .badRequest),
            (ListMessages(channelID: general, previous: 3), .badRequest),
            (ListMessages(channelID: general, inclusive: true), .badRequest),
            (ListMessages(channelID: general, at: 0, next: .token("1.1.1")), .badRequest),
            (ListMessages(channelID: general, userIDs: Array(repeating: ann, count: 1_001)), .tooMany),
        ] as [(ListMessages, ErrorCode?)])
    func `MS4: a list beyond its limits or with more than one anchor is refused`(
        query: ListMessages, refusal: ErrorCode?
    ) throws {
        var (chat, _) = try begin()
        #expect(chat.refusal(of: query, as: .user(ann)) == refusal)
    }

    @Test func `MS4: the default is the newest 30, the maximum 100`() throws {
        var chat = Chat()
        try chat.create()
        for number in 0..<101 { try chat.say("m\(number)") }
        let page = try chat.ask(ListMessages(channelID: general), as: .user(ann))
        #expect(page.messages.count == 30 && page.messages.last?.text == "m100" && page.messages.first?.text == "m71")
        #expect(page.hasPrevious && !page.hasNext)
        #expect(try chat.ask(ListMessages(channelID: general, limit: 100), as: .user(ann)).messages.count == 100)
    }

    @Test func `MS4: messages can be filtered by kind, custom type, senders and replies`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("text")
        try chat.say("bob's", by: bob, customType: "note")
        try chat.say("shown", by: bob, to: parent.id)
        try chat.say("thread only", to: parent.id, alsoInChannel: false)
        try chat.run(SendMessage(channelID: general, text: "admin"), as: .server)
        func texts(_ query: ListMessages) throws -> [String] {
            try chat.ask(query, as: .user(ann)).messages.compactMap(\.text)
        }
        #expect(try texts(ListMessages(channelID: general)) == ["text", "bob's", "admin"])
        #expect(try texts(ListMessages(channelID: general, kind: .admin)) == ["admin"])
        #expect(try texts(ListMessages(channelID: general, kind: .text)) == ["text", "bob's"])
        #expect(try texts(ListMessages(channelID: general, kind: .file)) == [])
        #expect(try texts(ListMessages(channelID: general, customType: "note")) == ["bob's"])
        #expect(try texts(ListMessages(channelID: general, userIDs: [bob])) == ["bob's"])
        #expect(try texts(ListMessages(channelID: general, userIDs: [])) == [])
        #expect(
            try texts(ListMessages(channelID: general, userIDs: [bob, cat], replies: .all)) == ["bob's", "shown"])
        #expect(
            try texts(ListMessages(channelID: general, replies: .onlyReplyToChannel))
                == ["text", "bob's", "shown", "admin"])
        #expect(
            try texts(ListMessages(channelID: general, replies: .all))
                == ["text", "bob's", "shown", "thread only", "admin"])
        let quoting = try chat.ask(
            ListMessages(channelID: general, replies: .all, includeParent: true), as: .user(ann))
        #expect(quoting.messages.compactMap(\.parent?.text) == ["text", "text"])
        let plain = try chat.ask(ListMessages(channelID: general, replies: .all), as: .user(ann))
        #expect(plain.messages.allSatisfy { $0.parent == nil })
    }

    // MARK: MS5

    @Test(arguments: [1, 2, 3, 7, 30])
    func `MS5: paging back through the history is stable while new messages arrive`(limit: Int) throws {
        var chat = Chat()
        try chat.create()
        chat.step = 0
        for number in 0..<50 { try chat.say("m\(number)") }
        var pages: [[String]] = []
        var token: String?
        repeat {
            let page = try chat.ask(
                ListMessages(channelID: general, next: token.map(SizeOrToken.token), limit: limit), as: .user(ann))
            pages.append(page.messages.compactMap(\.text))
            #expect(page.hasNext == (pages.count > 1))
            #expect((page.next != nil) == page.hasPrevious)
            token = page.next
            try chat.say("new \(pages.count)")
        } while token != nil
        #expect(pages.reversed().flatMap(\.self) == (0..<50).map { "m\($0)" })
        #expect(pages.dropLast().allSatisfy { $0.count == limit })
    }

    @Test func `MS5: a page token is refused if malformed, or with other filters or in another channel`() throws {
        var chat = Chat()
        try chat.create()
        try chat.create("other")
        for number in 0..<3 { try chat.say("m\(number)") }
        let query = ListMessages(channelID: general, limit: 1)
        let token = try #require(try chat.ask(query, as: .user(ann)).next)
        var next = query
        next.next = .token(token)
        #expect(try chat.ask(next, as: .user(ann)).messages.map(\.text) == ["m1"])
        next.limit = 2
        next.reverse = true
        #expect(try chat.ask(next, as: .user(ann)).messages.map(\.text) == ["m1", "m0"], "size and order are free")
        let changes: [(inout ListMessages) -> Void] = [
            { $0.kind = .text }, { $0.customType = "note" }, { $0.userIDs = [ann] }, { $0.userIDs = [] },
            { $0.replies = .all }, { $0.replies = .onlyReplyToChannel }, { $0.channelID = "other" },
            { $0.customType = "" }, { $0.customType = "\u{0}" },
        ]
        for (index, change) in changes.enumerated() {
            var other = next
            change(&other)
            #expect(chat.refusal(of: other, as: .user(ann)) == .badRequest, "change \(index)")
        }
        for text in [
            "", "1", "1..", "2\(token.dropFirst())", token + ".", token + "x", "1.-1.0", "1.zzzzzzzzzzzzzz.0", "é",
        ] {
            next.next = .token(text)
            #expect(chat.refusal(of: next, as: .user(ann)) == .badRequest, "\(text)")
        }
    }

    @Test func `MS5: a page token with extreme numbers is harmless`() throws {
        var chat = Chat()
        try chat.create()
        for number in 0..<3 { try chat.say("m\(number)") }
        let query = ListMessages(channelID: general, limit: 1)
        let token = try #require(try chat.ask(query, as: .user(ann)).next)
        let hash = try #require(token.split(separator: ".").last)
        for (offset, count) in [("0", 0), ("1", 0), (String(UInt64.max, radix: 36), 1)] {
            var next = query
            next.next = .token("1.\(offset).\(hash)")
            #expect(try chat.ask(next, as: .user(ann)).messages.count == count)
        }
    }
}
