import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// `T4`, `T5`
@Suite struct ThreadTests {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `T4: the users with most replies are those that a recount finds`(seed: UInt64) throws {
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
            // Most first; who came first stands first among equals.
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

    @Test func `T4: a message without replies tells no thread, and a reply neither`() throws {
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

    @Test func `T4: the server's replies count, and no user has them`() throws {
        var chat = Chat()
        try chat.create()
        let parent = try chat.say("parent")
        let reply = SendMessage(channelID: general, text: "auto", parentMessageID: parent.id)
        #expect(try chat.run(reply, as: .server).message.kind == .admin)
        let event = try #require(chat.heard(by: ann).last?.event)
        #expect(event.thread?.replyCount == 1 && event.thread?.mostRepliedUsers == [])
    }

    // MARK: T5

    /// A thread of six replies among other messages; the third and fourth at the same moment.
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

    /// The anchor is the reply of that number.
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
    func `T5: replies come oldest first around a time or a reply`(case row: Around) throws {
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

    @Test func `T5: what is asked wrongly is refused`() throws {
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
