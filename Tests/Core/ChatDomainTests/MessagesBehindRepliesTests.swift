import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// `MS4` and `MS5` for a list that skips most of a channel.
@Suite struct MessagesBehindRepliesTests {
    @Test func `MS5: a page has messages even after more replies than one query examines`() throws {
        var chat = Chat([ann])
        try chat.create(with: [])
        let first = try chat.say("first")
        for number in 0..<20_001 { try chat.say("r\(number)", to: first.id, alsoInChannel: number % 2 == 0) }
        let page = try chat.ask(ListMessages(channelID: general, limit: 2), as: .user(ann))
        #expect(page.messages.map(\.text) == ["first"])
        #expect(!page.hasPrevious && page.next == nil)
    }

    @Test(arguments: [true, false], [ListMessages.Replies.none, .onlyReplyToChannel])
    func `MS4: a message that the list excludes still works as its anchor`(
        inclusive: Bool, replies: ListMessages.Replies
    ) throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let messages = try (0..<3).map { try chat.say("m\($0)") }
        let reply = try chat.say("reply", to: messages[0].id, alsoInChannel: false)
        let deleted = try chat.say("deleted")
        try chat.run(DeleteMessage(channelID: general, messageID: deleted.id), as: .user(ann))
        for number in 3..<6 { try chat.say("m\(number)") }
        for anchor in [reply, deleted] {
            let list = try chat.ask(
                ListMessages(
                    channelID: general, messageID: anchor.id, previous: 1, next: 2, inclusive: inclusive,
                    replies: replies), as: .user(bob))
            #expect(list.messages.map(\.text) == ["m2", "m3", "m4"])
            #expect(list.hasPrevious && list.hasNext)
        }
    }

    @Test func `T3 MS4: a reply in the channel is listed there but not among top-level messages, even if deleted`()
        throws
    {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        let shown = try chat.say("shown", to: parent.id, alsoInChannel: true)
        try chat.say("kept", to: parent.id, alsoInChannel: true)
        let last = try chat.say("last")
        func texts(_ replies: ListMessages.Replies) throws -> [String?] {
            try chat.ask(ListMessages(channelID: general, replies: replies), as: .user(bob)).messages.map(\.text)
        }
        #expect(try texts(.none) == ["parent", "last"])
        #expect(try texts(.onlyReplyToChannel) == ["parent", "shown", "kept", "last"])
        for id in [shown.id, last.id] {
            try chat.run(DeleteMessage(channelID: general, messageID: id), as: .user(ann))
        }
        #expect(try texts(.none) == ["parent"])
        #expect(try texts(.onlyReplyToChannel) == ["parent", "kept"])
    }
}
