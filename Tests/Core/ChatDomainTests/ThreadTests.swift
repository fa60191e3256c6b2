import ChatDomain
import ChatModel
import TestSupport
import Testing

/// Covers `T4` and `T5`.
@Suite struct ThreadTests {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `T4: the users with the most replies match a recount`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let people = (0..<9).map { UserID(stringLiteral: "user\($0)") }
        var chat = Chat(people, seed: seed)
        try chat.create(by: people[0], with: Array(people.dropFirst()))
        let parent = try chat.say("parent", by: people[0])
        var replies: [UserID] = []
        for number in 1...120 {
            let user = random.pick(people)
            try chat.say("reply \(number)", by: user, to: parent.id, alsoInChannel: random.chance(percent: 50))
            replies.append(user)
            // The users with the most replies come first; among equals, the first to reply.
            let ranking = people.filter(replies.contains).sorted { a, b in
                let (countOfA, countOfB) = (replies.count { $0 == a }, replies.count { $0 == b })
                guard countOfA == countOfB else { return countOfA > countOfB }
                return (replies.firstIndex(of: a) ?? 0) < (replies.firstIndex(of: b) ?? 0)
            }
            let got = try chat.ask(GetMessage(channelID: general, messageID: parent.id), as: .user(people[0]))
            let thread = try #require(got.message.thread)
            #expect(thread.replyCount == number, "seed \(seed)")
            #expect(thread.mostRepliedUsers?.map(\.id) == Array(ranking.prefix(4)), "seed \(seed), reply \(number)")
            #expect(thread.lastReplyAt == chat.now, "seed \(seed)")
        }
    }

    @Test func `T4: neither a message without replies nor a reply has a thread`() throws {
        var chat = Chat()
        try chat.create()
        let parent = try chat.say("parent")
        #expect(
            try chat.ask(GetMessage(channelID: general, messageID: parent.id), as: .user(ann)).message.thread == nil)
        let reply = try chat.say("reply", to: parent.id)
        #expect(try chat.ask(GetMessage(channelID: general, messageID: reply.id), as: .user(ann)).message.thread == nil)
        let list = ListMessages(channelID: general, includeThread: true)
        #expect(try chat.ask(list, as: .user(ann)).messages.first?.thread?.replyCount == 1)
        #expect(try chat.ask(ListMessages(channelID: general), as: .user(ann)).messages.first?.thread == nil)
    }

    @Test func `T4: the server's replies count, but belong to no user`() throws {
        var chat = Chat()
        try chat.create()
        let parent = try chat.say("parent")
        let reply = SendMessage(channelID: general, text: "auto", parentMessageID: parent.id)
        #expect(try chat.run(reply, as: .server).message.kind == .admin)
        let event = try #require(chat.heard(by: ann).last?.event)
        #expect(event.thread?.replyCount == 1 && event.thread?.mostRepliedUsers == [])
    }

    // MARK: T5

    /// Creates a thread of six replies among other messages; the third and fourth have the same timestamp.
    private func thread() throws -> (chat: Chat, parent: Message, replies: [Message]) {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        var replies: [Message] = []
        for number in 0..<6 {
            chat.step = number == 3 ? 0 : 10
            replies.append(try chat.say("r\(number)", by: bob, to: parent.id, alsoInChannel: number % 2 == 0))
            chat.step = 0
            try chat.say("beside")
        }
        chat.step = 10
        return (chat, parent, replies)
    }

    /// A request anchored at the reply with that number.
    struct Around: Sendable {
        var anchor: Int?
        var byTime = true
        var previous: Int?
        var next: Int?
        var inclusive: Bool?
        var texts: [String]
        var hasPrevious: Bool
        var hasNext: Bool
    }

    @Test(arguments: [
        Around(texts: ["r0", "r1", "r2", "r3", "r4", "r5"], hasPrevious: false, hasNext: false),
        Around(next: 2, texts: ["r0", "r1"], hasPrevious: false, hasNext: true),
        Around(anchor: 1, previous: 0, next: 0, texts: ["r1"], hasPrevious: true, hasNext: true),
        Around(anchor: 1, previous: 1, next: 1, texts: ["r0", "r1", "r2", "r3"], hasPrevious: false, hasNext: true),
        Around(
            anchor: 1, previous: 1, next: 1, inclusive: false, texts: ["r0", "r2", "r3"], hasPrevious: false,
            hasNext: true),
        Around(anchor: 2, previous: 0, next: 0, texts: ["r2", "r3"], hasPrevious: true, hasNext: true),
        Around(
            anchor: 2, byTime: false, previous: 1, next: 1, texts: ["r1", "r2", "r3"], hasPrevious: true, hasNext: true),
        Around(
            anchor: 3, byTime: false, previous: 1, next: 1, inclusive: false, texts: ["r2", "r4"], hasPrevious: true,
            hasNext: true),
        Around(
            anchor: 4, previous: 1, next: 0, inclusive: false, texts: ["r2", "r3"], hasPrevious: true, hasNext: true),
        Around(
            anchor: 5, previous: 100, next: 100, texts: ["r0", "r1", "r2", "r3", "r4", "r5"], hasPrevious: false,
            hasNext: false),
        Around(anchor: 0, texts: ["r0", "r1", "r2", "r3", "r4", "r5"], hasPrevious: false, hasNext: false),
    ])
    func `T5: replies are listed oldest first, around a time or a reply`(case row: Around) throws {
        var (chat, parent, replies) = try thread()
        for reverse in [false, true] {
            var query = ListReplies(
                channelID: general, parentMessageID: parent.id, previous: row.previous, next: row.next,
                inclusive: row.inclusive, reverse: reverse)
            if let anchor = row.anchor {
                if row.byTime { query.at = replies[anchor].createdAt } else { query.messageID = replies[anchor].id }
            }
            let answer = try chat.ask(query, as: .user(ann))
            #expect(answer.replies.compactMap(\.text) == (reverse ? row.texts.reversed() : row.texts))
            #expect((answer.hasPrevious, answer.hasNext) == (row.hasPrevious, row.hasNext))
            #expect(answer.parent.text == "parent" && answer.parent.thread?.replyCount == 6)
        }
    }

    @Test func `T5: replies quote their parent on request, and can be filtered by kind`() throws {
        var (chat, parent, _) = try thread()
        let file = SendMessage(channelID: general, kind: .file, parentMessageID: parent.id)
        var (one, several) = (file, file)
        one.files = [FileReference(url: "https://example.com/a")]
        several.kind = .files
        several.files = [FileReference(url: "https://example.com/a"), FileReference(url: "https://example.com/b")]
        try chat.run(one, as: .user(ann))
        try chat.run(several, as: .user(ann))
        try chat.run(SendMessage(channelID: general, text: "note", parentMessageID: parent.id), as: .server)
        func list(_ kind: MessageKind?, quotes: Bool? = nil) throws -> [Message] {
            try chat.ask(
                ListReplies(
                    channelID: general, parentMessageID: parent.id, next: 100, kind: kind, includeParent: quotes),
                as: .user(ann)
            ).replies
        }
        #expect(try list(.text).map(\.kind) == Array(repeating: .text, count: 6))
        #expect(try list(.file).map(\.kind) == [.file, .files] && list(.files).map(\.kind) == [.files])
        #expect(try list(.admin).map(\.text) == ["note"])
        #expect(try list(nil).count == 9)
        for quotes in [nil, false] { #expect(try list(nil, quotes: quotes).allSatisfy { $0.parent == nil }) }
        let quoted = try list(nil, quotes: true)
        #expect(
            quoted.allSatisfy { $0.parent?.id == parent.id && $0.parent?.text == "parent" && $0.parent?.state == .ok })
    }

    @Test(arguments: [1, 4, 20])
    func `T4: a setting determines how many of the users with the most replies a thread lists`(limit: Int) throws {
        let people = (0..<22).map { UserID(stringLiteral: "p\($0)") }
        var chat = Chat([ann] + people)
        #expect(try chat.ask(GetSettings(), as: .server).settings.mostRepliedUsers == 4)
        var values = SettingValues()
        for wrong in [0, 21] {
            values.mostRepliedUsers = wrong
            #expect(chat.refusal(of: UpdateSettings(values), as: .server) == .invalidValue)
        }
        values.mostRepliedUsers = limit
        try chat.run(UpdateSettings(values), as: .server)
        chat.settings.mostRepliedUsers = limit
        try chat.create(with: people)
        let parent = try chat.say("parent").id
        // The later a user joins, the more they reply.
        for (index, user) in people.enumerated() { for _ in 0...index { try chat.say("r", by: user, to: parent) } }
        let ranking = Array(people.reversed().prefix(limit))
        let thread = try chat.ask(GetThread(channelID: general, parentMessageID: parent), as: .user(ann)).thread
        #expect(thread.mostRepliedUsers?.map(\.id) == ranking)
        #expect(chat.heard(by: ann).last?.event.thread?.mostRepliedUsers?.map(\.id) == ranking)
        let listed = try chat.ask(ListMessages(channelID: general, includeThread: true), as: .user(ann)).messages
        #expect(listed.first { $0.id == parent }?.thread?.mostRepliedUsers?.map(\.id) == ranking)
    }

    @Test func `T5: invalid requests are refused`() throws {
        var (chat, parent, replies) = try thread()
        let beside = try chat.say("beside")
        func refusal(
            of parent: MessageID, at: Int64? = nil, _ message: MessageID? = nil, previous: Int? = nil, next: Int? = nil
        ) -> ErrorCode? {
            chat.refusal(
                of: ListReplies(
                    channelID: general, parentMessageID: parent, at: at, messageID: message, previous: previous,
                    next: next), as: .user(ann))
        }
        #expect(refusal(of: MessageID(high: 9, low: 9)) == .notFound)
        #expect(refusal(of: parent.id, beside.id) == .notFound)
        #expect(refusal(of: parent.id, parent.id) == .notFound)
        #expect(refusal(of: parent.id, at: 0, replies[0].id) == .badRequest)
        #expect(refusal(of: parent.id, previous: -1) == .invalidValue)
        #expect(refusal(of: parent.id, previous: 101) == .invalidValue)
        #expect(refusal(of: parent.id, next: 101) == .invalidValue)
        #expect(refusal(of: parent.id, next: 100) == nil)
        #expect(refusal(of: parent.id, at: .min, previous: 0, next: 0) == nil)
        #expect(refusal(of: parent.id, at: .max, previous: 0, next: 0) == nil)
        #expect(refusal(of: beside.id) == nil, "a message without replies has an empty thread")
    }
}
