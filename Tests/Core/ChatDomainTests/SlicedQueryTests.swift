import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Queries that examine many entries yield to others.
@Suite struct SlicedQueryTests {
    /// Returns the result of a query and the number of its slices.
    ///
    /// - Parameter short: The work that fits into each slice; if nil, only the first slice is short.
    private func slices<Q: Query>(
        _ query: Q, in chat: Chat, as caller: Caller, short: Int? = nil, between: () throws(Rejection) -> Void = {}
    ) throws(Rejection) -> (answer: Q.Response, count: Int, longest: Int) {
        let work = WorkMeter()
        // The first slice is nearly over, so that a few hundred entries suffice.
        work.charge(WorkMeter.slice - (short ?? 100 * WorkCost.entry))
        let context = Context(
            caller: caller, now: chat.now, freshID: MessageID(high: 0, low: 1), settings: chat.settings, work: work)
        var count = 1
        var step = try query.begin(in: chat.state, context)
        _ = work.drain()
        var longest = 0
        while true {
            switch step {
            case .answered(let answer): return (answer, count, longest)
            case .unfinished(let rest):
                try between()
                let given = short.map { WorkMeter.slice - $0 } ?? 0
                // The response is built in a slice that has enough time left.
                if count % 5 > 0 { work.charge(given) }
                step = try rest(chat.state, context)
                longest = max(longest, work.drain())
                count += 1
            case .lookup(let lookup, let rest):
                step = try rest(chat.state.scan(lookup, WorkMeter()), chat.state, context)
                longest = max(longest, work.drain())
                count += 1
            }
        }
    }

    private func crowded(_ count: Int) throws -> Chat {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, isPublic: true, isSuper: true), as: .user(ann))
        for number in 0..<count {
            let id = try #require(UserID("user \(number)"))
            chat.meet(id)
            try chat.run(JoinChannel(channelID: general), as: .user(id))
        }
        return chat
    }

    @Test func `ME1: listing many members takes several slices and returns the same result as one slice`() throws {
        var chat = try crowded(300)
        let list = ListMembers(channelID: general, limit: 100)
        let sliced = try slices(list, in: chat, as: .user(ann))
        #expect(sliced.count > 1)
        #expect(sliced.longest < 2 * WorkMeter.slice)
        #expect(try chat.ask(list, as: .user(ann)).members == sliced.answer.members)
    }

    @Test func `ME1: initial work and long ids are charged`() throws {
        func cost(of ids: (Int) -> String, _ count: Int) throws -> (start: Int, entry: Int) {
            var chat = Chat()
            try chat.run(CreateChannel(id: general, isPublic: true, isSuper: true), as: .user(ann))
            for number in 0..<count {
                let id = try #require(UserID(ids(number)))
                chat.meet(id)
                try chat.run(JoinChannel(channelID: general), as: .user(id))
            }
            let work = WorkMeter()
            let context = Context(
                caller: .user(ann), now: chat.now, freshID: MessageID(high: 0, low: 1), settings: chat.settings,
                work: work)
            let list = ListMembers(channelID: general, limit: 1)
            var progress = try list.start(in: chat.state, context)
            let start = work.drain()
            #expect(try list.advance(&progress, in: chat.state, context)?.members.count == 1)
            return (start, work.drain() / (count + 1))
        }
        let long = String(repeating: "𝐀", count: 74)
        let short = try cost(of: { "user \($0)" }, 200)
        #expect(short.start == 201 * WorkCost.key)
        #expect(try cost(of: { long + String(1_000 + $0) }, 200).entry > short.entry + 2 * 280 * WorkCost.idByte)
    }

    @Test func `ME1: a page is built in a slice that has time left for it`() throws {
        let chat = try crowded(3)
        let list = ListMembers(channelID: general)
        #expect(try slices(list, in: chat, as: .user(ann), short: WorkMeter.slice / 3).count > 1)
        #expect(try slices(list, in: chat, as: .user(ann), short: WorkMeter.slice * 2 / 3).count == 1)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `MS4: a list of messages in many slices returns the same result as one slice`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = Chat(seed: seed)
        try chat.create(with: [bob])
        var all: [Message] = []
        var parents: [Message] = []
        for number in 0..<60 {
            chat.step = Int64.random(in: 0...1, using: &random)
            let parent = parents.isEmpty || random.chance(percent: 50) ? nil : random.pick(parents)
            let message = try chat.say(
                "m\(number)", by: random.pick([ann, bob]), to: parent?.id,
                alsoInChannel: parent == nil ? nil : random.chance(percent: 50),
                customType: random.chance(percent: 50) ? "note" : nil)
            if parent == nil { parents.append(message) }
            all.append(message)
        }
        for message in all where random.chance(percent: 10) && message.id != parents[0].id {
            _ = chat.refusal(of: DeleteMessage(channelID: general, messageID: message.id), as: .server)
        }
        for _ in 0..<40 {
            var list = ListMessages(channelID: general)
            list.replies = random.pick([ListMessages.Replies.none, .all, .onlyReplyToChannel])
            list.includeDeleted = random.chance(percent: 30)
            if random.chance(percent: 50) { list.customType = "note" }
            if random.chance(percent: 30) { list.userIDs = [random.pick([ann, bob])] }
            if random.chance(percent: 60) {
                if random.chance(percent: 50) {
                    list.at = random.pick(all).createdAt
                } else {
                    list.messageID = random.pick(all).id
                }
                list.inclusive = random.chance(percent: 50)
                list.previous = Int.random(in: 0...9, using: &random)
                list.next = .size(Int.random(in: 0...9, using: &random))
            } else {
                list.limit = Int.random(in: 1...9, using: &random)
            }
            let answer = try chat.ask(list, as: .user(ann))
            let sliced = try slices(list, in: chat, as: .user(ann), short: 3 * WorkCost.message)
            #expect(sliced.answer == answer, "seed \(seed): \(list)")
            guard let next = answer.next else { continue }
            list.next = .token(next)
            let rest = try slices(list, in: chat, as: .user(ann), short: 2 * WorkCost.message)
            #expect(try chat.ask(list, as: .user(ann)) == rest.answer, "seed \(seed): \(list)")
        }
        var thread = ListReplies(channelID: general, parentMessageID: parents[0].id)
        thread.next = Int.random(in: 1...9, using: &random)
        let answer = try chat.ask(thread, as: .user(ann))
        #expect(try slices(thread, in: chat, as: .user(ann), short: WorkCost.message).answer == answer, "seed \(seed)")
    }

    @Test func `MS5: a list of messages omits messages deleted or hidden between two slices`() throws {
        for isDeleted in [true, false] {
            var chat = Chat()
            try chat.create()
            var sent: [Message] = []
            for number in 0..<20 { sent.append(try chat.say("m\(number)")) }
            let list = ListMessages(channelID: general, limit: 10)
            var slice = 0
            let sliced = try slices(list, in: chat, as: .user(ann), short: 2 * WorkCost.message) {
                () throws(Rejection) in
                slice += 1
                guard slice == 3 else { return }
                if isDeleted {
                    try chat.run(DeleteMessage(channelID: general, messageID: sent[19].id), as: .user(ann))
                    try chat.run(SendMessage(channelID: general, text: "another"), as: .user(ann))
                } else {
                    try chat.run(ResetHistory(channelID: general), as: .user(ann))
                }
            }
            #expect(sliced.count > 3)
            let ids = sliced.answer.messages.map(\.id)
            #expect(isDeleted ? ids.dropLast() == sent[11..<19].map(\.id)[...] : ids.isEmpty)
            #expect(sliced.answer.messages.last?.text == (isDeleted ? "another" : nil))
            #expect(!sliced.answer.hasNext)
        }
    }

    @Test func `MS5: a channel deleted and recreated between two slices is listed from the start`() throws {
        var chat = Chat()
        try chat.create()
        for number in 0..<20 { try chat.say("m\(number)") }
        var slice = 0
        let sliced = try slices(
            ListMessages(channelID: general), in: chat, as: .user(ann), short: 2 * WorkCost.message
        ) { () throws(Rejection) in
            slice += 1
            guard slice == 3 else { return }
            try chat.run(DeleteChannel(channelID: general), as: .server)
            try chat.run(CreateChannel(id: general), as: .user(ann))
            try chat.run(SendMessage(channelID: general, text: "another"), as: .user(ann))
        }
        #expect(sliced.answer.messages.map(\.text) == ["another"])
    }

    @Test func `MS4: a filter that matches no message takes several slices`() throws {
        var chat = Chat()
        try chat.create()
        for _ in 0..<20 { try chat.say("hello", customType: String(repeating: "t", count: 127) + "x") }
        var list = ListMessages(channelID: general, customType: String(repeating: "t", count: 127) + "y")
        let sliced = try slices(list, in: chat, as: .user(ann), short: 5 * WorkCost.message)
        #expect(sliced.count > 4 && sliced.answer.messages.isEmpty && !sliced.answer.hasPrevious)
        (list.customType, list.userIDs) = (nil, [bob])
        #expect(try slices(list, in: chat, as: .user(ann), short: 5 * WorkCost.message).count > 4)
    }

    @Test func `CH13: comparing texts with a long common prefix is charged at its actual cost`() throws {
        func cost(of values: (Int) -> String) throws -> Int {
            var chat = Chat()
            for number in 0..<100 {
                let create = CreateChannel(
                    id: ChannelID("c\(number)"), isPublic: true, metadata: ["key": values(number)])
                try chat.run(create, as: .user(ann))
            }
            let work = WorkMeter()
            let list = ListPublicChannels(
                limit: 1, order: .metadataValue, metadataKey: "key", includeEmpty: true)
            let context = Context(
                caller: .user(bob), now: chat.now, freshID: MessageID(high: 0, low: 1), settings: chat.settings,
                work: work)
            #expect(try list.answer(from: chat.state, context).channels.count == 1)
            return work.drain()
        }
        let long = String(repeating: "v", count: FieldLimits.metadataValueBytes - 3)
        // The last one comes first, so each is compared with those before it.
        let late = try cost { long + String(999 - $0) }
        let early = try cost { String(999 - $0) }
        #expect(late > early + 100 * FieldLimits.metadataValueBytes / 8)
    }

    @Test func `MS10, SE1: a search of long texts has linear cost and pauses between slices`() throws {
        var chat = Chat()
        try chat.create()
        let text = String(repeating: "a ", count: FieldLimits.textBytes / 2)
        for _ in 0..<64 { try chat.run(SendMessage(channelID: general, text: text), as: .user(ann)) }
        let query = SearchMessages(query: "a", order: .relevance, limit: 1)
        let sliced = try slices(query, in: chat, as: .user(ann))
        #expect(sliced.answer.messages.count == 1)
        #expect(sliced.count > 10)
        #expect(sliced.longest < 2 * WorkMeter.slice)
    }

    @Test func `a user who leaves between two slices receives nothing more`() throws {
        var chat = try crowded(300)
        do throws(Rejection) {
            _ = try slices(ListMembers(channelID: general), in: chat, as: .user(ann)) {
                _ = chat.refusal(of: LeaveChannel(channelID: general), as: .user(ann))
            }
            Issue.record("an answer for someone who has left")
        } catch {
            #expect(error.code == .notAMember)
        }
    }

    @Test func `T6: threads are collected in slices, forwards and backwards`() throws {
        var chat = Chat()
        try chat.create()
        for _ in 0..<200 {
            let parent = try chat.run(SendMessage(channelID: general, text: "parent"), as: .user(ann)).message
            try chat.run(SendMessage(channelID: general, text: "reply", parentMessageID: parent.id), as: .user(ann))
        }
        let first = try slices(ListThreads(limit: 10), in: chat, as: .user(ann))
        #expect(first.count > 1)
        #expect(first.answer.threads.count == 10)
        #expect(first.answer.prev == nil)
        let second = try slices(ListThreads(limit: 10, next: first.answer.next), in: chat, as: .user(ann)).answer
        #expect(second.threads.count == 10)
        let back = try slices(ListThreads(limit: 10, next: second.prev), in: chat, as: .user(ann)).answer
        #expect(back.threads.map(\.parent.id) == first.answer.threads.map(\.parent.id))
        #expect(back.prev == nil)
        #expect(back.next != nil)
    }

    @Test(arguments: ["", "a", "ab", "aab", "aabaaab", "b", "abab"], ["", "a", "aaab", "aabaabaaab", "ababab", "xyz"])
    func `a pattern is found exactly where it occurs`(pattern: String, text: String) {
        let occurs = pattern.isEmpty || text.indices.contains { text[$0...].hasPrefix(pattern) }
        #expect(BytePattern(Array(pattern.utf8)).occurs(in: text) == occurs)
    }
}
