import ChatModel
import Testing
import WireProtocol

@testable import ChatDomain

/// Queries that look at much let others have their turns.
@Suite struct SlicedQueryTests {
    /// What a query came to, and in how many slices.
    private func slices<Q: Query>(
        _ query: Q, in chat: Chat, as caller: Caller, between: (Int) -> ChatState? = { _ in nil }
    ) throws(Rejection) -> (answer: Q.Response, count: Int, longest: Int) {
        let work = WorkMeter()
        // The first slice is nearly over, so that a few hundred entries will do.
        work.charge(WorkMeter.slice - 100 * WorkCost.entry)
        let context = Context(
            caller: caller, now: chat.now, freshID: MessageID(high: 0, low: 1), settings: chat.settings, work: work)
        var count = 1
        var state = chat.state
        var step = try query.begin(in: state, context)
        _ = work.takeSpent()
        var longest = 0
        while true {
            switch step {
            case .answered(let answer): return (answer, count, longest)
            case .unfinished(let rest):
                state = between(count) ?? state
                step = try rest(state, context)
                longest = max(longest, work.takeSpent())
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

    @Test func `ME1: a list of many members takes several slices and tells the same as one`() throws {
        var chat = try crowded(300)
        let list = ListMembers(channelID: general, limit: 100)
        let sliced = try slices(list, in: chat, as: .user(ann))
        #expect(sliced.count > 1)
        #expect(sliced.longest < 2 * WorkMeter.slice)
        #expect(try chat.ask(list, as: .user(ann)).members == sliced.answer.members)
    }

    @Test func `CH13: texts that differ late cost what comparing them costs`() throws {
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
            return work.takeSpent()
        }
        let long = String(repeating: "v", count: FieldLimits.metadataValueBytes - 3)
        // The last one comes first, so that each is compared with those before it.
        let late = try cost { long + String(999 - $0) }
        let early = try cost { String(999 - $0) }
        #expect(late > early + 100 * FieldLimits.metadataValueBytes / 8)
    }

    @Test func `MS10: a search for what is not there has linear cost, and stops in between`() throws {
        var chat = Chat()
        try chat.create()
        let text = String(repeating: "a", count: FieldLimits.textBytes)
        for _ in 0..<64 { try chat.run(SendMessage(channelID: general, text: text), as: .user(ann)) }
        let query = SearchMessages(query: String(repeating: "a", count: 255) + "b")
        let sliced = try slices(query, in: chat, as: .user(ann))
        #expect(sliced.answer.messages.isEmpty)
        #expect(sliced.count > 3)
        #expect(sliced.longest < 2 * WorkMeter.slice)
        // Folding what is not ASCII costs far more, and is charged.
        let letters = String(repeating: "İ", count: FieldLimits.textBytes / 2)
        for _ in 0..<8 { try chat.run(SendMessage(channelID: general, text: letters), as: .user(ann)) }
        #expect(try slices(SearchMessages(query: "zz"), in: chat, as: .user(ann)).count > 7)
    }

    @Test func `whoever leaves between two slices hears nothing more`() throws {
        var chat = try crowded(300)
        let before = chat
        try chat.run(LeaveChannel(channelID: general), as: .user(ann))
        let after = chat.state
        do throws(Rejection) {
            _ = try slices(ListMembers(channelID: general), in: before, as: .user(ann), between: { _ in after })
            Issue.record("an answer for someone who has left")
        } catch {
            #expect(error.code == .notAMember)
        }
    }

    @Test func `T6: threads are gathered in slices, forth and back`() throws {
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
    func `a pattern is found where it occurs, and nowhere else`(pattern: String, text: String) {
        let occurs = pattern.isEmpty || text.indices.contains { text[$0...].hasPrefix(pattern) }
        #expect(BytePattern(Array(pattern.utf8)).occurs(in: text) == occurs)
    }
}
