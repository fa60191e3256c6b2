import ChatDomain
import ChatModel
import Testing

/// Covers `CH13`.
@Suite struct ListPublicChannelsTests {
    private func ids(
        _ list: ListPublicChannels, _ chat: inout Chat, _ caller: Caller = .user(bob)
    ) throws -> [ChannelID] {
        try chat.ask(list, as: caller).channels.map(\.id)
    }

    /// Returns a chat in which ann has four public channels and a private one; b has no messages, and bob is in c.
    private func begin() throws -> Chat {
        var chat = Chat()
        for (id, name) in [("a", "Zoo"), ("b", "garden"), ("c", "Zoology"), ("d", "zoo")] as [(ChannelID, String)] {
            let metadata = id == "c" ? nil : ["k": id == "a" ? "3" : "2"]
            try chat.run(CreateChannel(id: id, name: name, isPublic: true, metadata: metadata), as: .user(ann))
            if id != "b" { try chat.say("x", in: id) }
        }
        try chat.create("private")
        try chat.say("x", in: "private")
        try chat.run(JoinChannel(channelID: "c"), as: .user(bob))
        return chat
    }

    @Test func `CH13: any user can list the public channels that have messages, newest first`() throws {
        var chat = try begin()
        let list = try chat.ask(ListPublicChannels(), as: .user(bob))
        #expect(list.channels.map(\.id) == ["d", "c", "a"] && list.next == nil)
        #expect(list.channels.map(\.my?.state) == [MembershipState.none, .joined, MembershipState.none])
        #expect(list.channels.map(\.lastMessage?.text) == [nil, "x", nil], "only members see messages")
        for caller in [.user(ann), .user(dan), .server] as [Caller] {
            #expect(try ids(ListPublicChannels(), &chat, caller) == ["d", "c", "a"])
        }
        #expect(try chat.ask(ListPublicChannels(), as: .server).channels.allSatisfy { $0.my == nil })
        #expect(try ids(ListPublicChannels(includeEmpty: true), &chat) == ["d", "c", "b", "a"])
        try chat.run(ResetHistory(channelID: "c"), as: .user(bob))
        #expect(try ids(ListPublicChannels(), &chat) == ["d", "c", "a"], "something stands there for others")
    }

    @Test func `CH13: a channel is listed from when it becomes public until it becomes private or is deleted`() throws {
        var chat = try begin()
        try chat.run(UpdateChannel(channelID: "private", isPublic: true), as: .server)
        try chat.run(UpdateChannel(channelID: "d", isPublic: false), as: .server)
        try chat.run(DeleteChannel(channelID: "a"), as: .server)
        try chat.run(UpdateChannel(channelID: "c", name: "Zoology 2"), as: .server)
        #expect(try ids(ListPublicChannels(), &chat) == ["private", "c"])
        try chat.create("a")
        try chat.say("x", in: "a")
        #expect(try ids(ListPublicChannels(), &chat) == ["private", "c"], "a new one of the same id is private")
        let context = Context(
            caller: .user(bob), now: chat.now, freshID: MessageID(high: 0, low: 0), settings: ChatSettings())
        #expect(
            try ListPublicChannels().answer(from: chat.replayed, context).channels.map(\.id) == ["private", "c"])
    }

    @Test func `CH13: channels can be filtered by name and membership, and paged in every sort order`() throws {
        var chat = try begin()
        #expect(try ids(ListPublicChannels(nameContains: "ZOO"), &chat) == ["d", "c", "a"])
        #expect(try ids(ListPublicChannels(nameContains: "logy"), &chat) == ["c"])
        #expect(try ids(ListPublicChannels(nameContains: "gard"), &chat).isEmpty)
        #expect(try ids(ListPublicChannels(membership: .joined), &chat) == ["c"])
        #expect(try ids(ListPublicChannels(membership: .joined), &chat, .user(ann)) == ["d", "c", "a"])
        #expect(try ids(ListPublicChannels(membership: .joined), &chat, .user(dan)).isEmpty)
        #expect(chat.refusal(of: ListPublicChannels(membership: .joined), as: .server) == .badRequest)
        let expected: [(ListPublicChannels.Order, [ChannelID])] = [
            (.created, ["d", "c", "b", "a"]), (.name, ["b", "a", "d", "c"]), (.metadataValue, ["b", "d", "a", "c"]),
        ]
        #expect(expected.count == ListPublicChannels.Order.allCases.count)
        for (order, channels) in expected {
            for limit in 1...5 {
                var list = ListPublicChannels(
                    limit: limit, order: order, metadataKey: order == .metadataValue ? "k" : nil, includeEmpty: true)
                var found: [ChannelID] = []
                repeat {
                    let page = try chat.ask(list, as: .user(bob))
                    #expect(page.channels.count <= limit)
                    found += page.channels.map(\.id)
                    list.next = page.next
                } while list.next != nil
                #expect(found == channels, "\(order), limit \(limit)")
            }
        }
    }

    @Test func `CH13: a new channel does not affect later pages`() throws {
        var chat = try begin()
        for (order, rest, new) in [(.created, ["c", "a"], "new"), (.name, ["d", "c"], "old")]
            as [(ListPublicChannels.Order, [ChannelID], ChannelID)]
        {
            let first = try chat.ask(ListPublicChannels(limit: 1, order: order), as: .user(bob))
            try chat.run(CreateChannel(id: new, name: "a", isPublic: true), as: .user(ann))
            try chat.say("x", in: new)
            #expect(try ids(ListPublicChannels(limit: 2, next: first.next, order: order), &chat) == rest)
            try chat.run(DeleteChannel(channelID: new), as: .server)
        }
    }

    @Test func `CH13: a page token is refused with different filters or for a different user`() throws {
        var chat = try begin()
        let token = try chat.ask(ListPublicChannels(limit: 1), as: .user(bob)).next
        #expect(chat.refusal(of: ListPublicChannels(limit: 5, next: token), as: .user(bob)) == nil)
        let others = [
            ListPublicChannels(next: token, order: .name), ListPublicChannels(next: token, includeEmpty: true),
            ListPublicChannels(next: token, nameContains: "z"), ListPublicChannels(next: token, membership: .joined),
            ListPublicChannels(next: token, order: .metadataValue, metadataKey: "k"),
            ListPublicChannels(next: "nonsense"),
        ]
        for list in others { #expect(chat.refusal(of: list, as: .user(bob)) == .badRequest) }
        #expect(chat.refusal(of: ListPublicChannels(next: token), as: .user(ann)) == .badRequest)
        let mine = try chat.ask(ListChannels(limit: 1, order: .created), as: .user(ann)).next
        #expect(mine != nil && chat.refusal(of: ListPublicChannels(next: mine), as: .user(ann)) == .badRequest)
    }

    @Test func `CH13: out-of-range fields and inconsistent combinations are refused`() throws {
        var chat = Chat()
        let refused: [(ListPublicChannels, ErrorCode)] = [
            (ListPublicChannels(limit: 0), .invalidValue), (ListPublicChannels(limit: 101), .invalidValue),
            (ListPublicChannels(order: .metadataValue), .invalidValue),
            (ListPublicChannels(metadataKey: "k"), .invalidValue),
            (ListPublicChannels(nameContains: String(repeating: "x", count: 201)), .tooLong),
        ]
        for (list, code) in refused { #expect(chat.refusal(of: list, as: .server) == code) }
    }
}
