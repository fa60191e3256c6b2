import ChatDomain
import ChatModel
import TestSupport
import Testing

extension ListChannels {
    /// Creates a request in one expression.
    fileprivate init(_ order: Order? = nil, limit: Int? = nil, _ fill: (inout ListChannels) -> Void) {
        self.init(limit: limit, order: order)
        fill(&self)
    }
}

/// Covers `CH12`.
@Suite struct ListChannelsTests {
    private func ids(_ list: ListChannels, _ chat: inout Chat, _ user: UserID = ann) throws -> [ChannelID] {
        try chat.ask(list, as: .user(user)).channels.map(\.id)
    }

    /// Returns all pages, in order.
    private func pages(
        _ list: ListChannels, _ chat: inout Chat, between: (inout Chat) throws -> Void = { _ in }
    ) throws -> [ChannelID] {
        var (list, found) = (list, [] as [ChannelID])
        repeat {
            let page = try chat.ask(list, as: .user(ann))
            found += page.channels.map(\.id)
            list.next = page.next
            if page.next != nil { try between(&chat) }
        } while list.next != nil
        return found
    }

    @Test
    func `CH12: the list contains the user's channels, by default only those with a visible message, newest first`()
        throws
    {
        var chat = Chat()
        try chat.create("a", with: [bob])
        try chat.create("b")
        try chat.create("c", by: bob)
        try chat.create("d")
        try chat.say("1", in: "b")
        try chat.say("2", in: "a")
        try chat.say("3", by: bob, in: "c")
        let list = try chat.ask(ListChannels(), as: .user(ann))
        #expect(list.channels.map(\.id) == ["a", "b"] && list.next == nil)
        #expect(list.channels.first?.lastMessage?.text == "2")
        #expect(list.channels.first?.my?.state == .joined)
        #expect(try ids(ListChannels { $0.includeEmpty = true }, &chat) == ["a", "b", "d"])
        #expect(try ids(ListChannels { $0.includeEmpty = true }, &chat, dan).isEmpty)
        try chat.run(ResetHistory(channelID: "a"), as: .user(ann))
        #expect(try ids(ListChannels(), &chat) == ["b"], "what is hidden from the user makes no channel full")
        #expect(try ids(ListChannels(), &chat, bob) == ["c", "a"])
        #expect(try ids(ListChannels { $0.includeEmpty = true }, &chat) == ["b", "d", "a"])
        #expect(chat.refusal(of: ListChannels(), as: .server) == .badRequest)
    }

    @Test func `CH8 CH12: an invitation is listed as such, without a message, until the user answers it`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        for id in ["a", "b", "c", "d", "e"] as [ChannelID] { try chat.create(id, with: [cat]) }
        try chat.run(AcceptInvitation(channelID: "a"), as: .user(cat))
        try chat.run(DeclineInvitation(channelID: "b"), as: .user(cat))
        try chat.run(BanMember(channelID: "d", userID: cat), as: .server)
        try chat.run(DeleteChannel(channelID: "e"), as: .server)
        try chat.say("secret", in: "c")
        try chat.say("open", in: "a")
        let all = try chat.ask(ListChannels(), as: .user(cat)).channels
        #expect(all.map(\.id) == ["a", "c"])
        #expect(all.map(\.my?.state) == [.joined, .invited] && all.last?.lastMessage == nil)
        for (state, expected) in [(.joined, ["a"]), (.invited, ["c"]), (.all, ["a", "c"])]
            as [(ListChannels.MemberStates, [ChannelID])]
        {
            #expect(try ids(ListChannels { $0.memberState = state }, &chat, cat) == expected)
            #expect(try chat.replayed.ids(ListChannels { $0.memberState = state }, cat) == expected)
        }
        #expect(try ids(ListChannels { $0.hiddenState = .hidden }, &chat, cat).isEmpty)
        #expect(try ids(ListChannels { $0.unreadOnly = true }, &chat, cat) == ["a"])
        try chat.run(LeaveChannel(channelID: "a"), as: .user(cat))
        #expect(try ids(ListChannels(), &chat, cat) == ["c"])
    }

    @Test func `CH11 CH12: hidden channels are listed only if asked for`() throws {
        var chat = Chat()
        for id in ["a", "b", "c"] as [ChannelID] {
            try chat.create(id)
            try chat.say("x", in: id)
        }
        try chat.run(HideChannel(channelID: "a"), as: .user(ann))
        try chat.run(HideChannel(channelID: "b", allowAutoUnhide: false), as: .user(ann))
        let expected: [(ListChannels.HiddenStates?, [ChannelID])] = [
            (nil, ["c"]), (.unhidden, ["c"]), (.hidden, ["b", "a"]), (.hiddenAllowAutoUnhide, ["a"]),
            (.hiddenPreventAutoUnhide, ["b"]), (.all, ["c", "b", "a"]),
        ]
        for (state, channels) in expected {
            #expect(try ids(ListChannels { $0.hiddenState = state }, &chat) == channels)
        }
    }

    @Test
    func `CH12: a member filter matches an exact or a partial list of members, including invited users`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.create("ann")
        try chat.create("bob", with: [bob])
        try chat.create("cat", with: [cat])
        try chat.create("all", with: [bob, cat])
        func found(_ fill: (inout ListChannels) -> Void) throws -> [ChannelID] {
            var list = ListChannels(order: .name)
            list.includeEmpty = true
            fill(&list)
            return try ids(list, &chat)
        }
        #expect(try found { $0.userIDsExact = [] } == ["ann"])
        #expect(try found { $0.userIDsExact = [bob] } == ["bob"])
        #expect(try found { $0.userIDsExact = [cat, ann, cat] } == ["cat"])
        #expect(try found { $0.userIDsExact = [bob, cat] } == ["all"])
        #expect(try found { $0.userIDsExact = [bob, "nobody"] }.isEmpty)
        #expect(try found { $0.userIDsInclude = [bob, cat] } == ["all"])
        for query in [.and, .or] as [ListChannels.Connective] {
            let channels = try found {
                $0.userIDsInclude = [bob, cat]
                $0.userIDsQuery = query
            }
            #expect(channels == (query == .and ? ["all"] : ["all", "bob", "cat"]))
        }
        #expect(try found { $0.userIDsInclude = [dan] }.isEmpty)
    }

    @Test func `CH12: channels can be filtered by name, type, kind and unread`() throws {
        var chat = Chat()
        for (number, name) in ["Grüße aus Wien", "GRÜSSE", "wienerwald", ""].enumerated() {
            let id = ChannelID("c\(number)") ?? general
            try chat.run(
                CreateChannel(
                    id: id, name: name, userIDs: [bob], isPublic: number == 0, isDistinct: number == 1,
                    isSuper: number == 2, customType: number == 3 ? nil : "t\(number)"), as: .user(ann))
            try chat.say("x", by: number < 2 ? ann : bob, in: id)
        }
        func found(_ fill: (inout ListChannels) -> Void) throws -> [ChannelID] {
            try ids(ListChannels(.created, fill), &chat).sorted()
        }
        #expect(try found { $0.nameContains = "GRÜ" } == ["c0", "c1"])
        #expect(try found { $0.nameContains = "wien" } == ["c0", "c2"])
        #expect(try found { $0.nameContains = "wiener wald" }.isEmpty)
        #expect(try found { $0.nameContains = "wwien" }.isEmpty)
        #expect(try found { $0.nameContains = "rw" } == ["c2"], "a first letter that comes twice")
        #expect(try found { $0.nameContains = "" }.count == 4)
        try chat.run(UpdateChannel(channelID: "c3", name: "Wiener"), as: .server)
        #expect(try found { $0.nameContains = "wiener" } == ["c2", "c3"])
        #expect(try found { $0.customTypes = ["t1", "t2", "t9"] } == ["c1", "c2"])
        #expect(try found { $0.isPublic = true } == ["c0"])
        #expect(try found { $0.isDistinct = true } == ["c1"])
        #expect(try found { $0.isSuper = true } == ["c2"])
        #expect(try found { $0.isSuper = false } == ["c0", "c1", "c3"])
        #expect(try found { $0.isDistinct = false } == ["c0", "c2", "c3"])
        #expect(try found { $0.isPublic = false } == ["c1", "c2", "c3"])
        #expect(try found { $0.unreadOnly = true } == ["c2", "c3"], "one's own messages are read")
        #expect(try found { $0.unreadOnly = false }.count == 4)
    }

    @Test func `CH12 CH15: every sort order works, with ties broken by id`() throws {
        var chat = Chat()
        chat.step = 0
        let rows: [(ChannelID, name: String, key: String?)] = [
            ("d", "beta", "2"), ("a", "Beta", nil), ("c", "alpha", "10"), ("b", "", "2"), ("e", "äther", nil),
        ]
        for (id, name, key) in rows {
            if id == "c" || id == "e" { chat.now += 1 }
            try chat.run(
                CreateChannel(id: id, name: name, metadata: key.map { ["k": $0, "other": "0"] }), as: .user(ann))
        }
        chat.now += 1
        try chat.say("x", in: "c")
        try chat.say("x", in: "b")
        let expected: [(ListChannels.Order, [ChannelID])] = [
            (.created, ["e", "b", "c", "a", "d"]), (.latestMessage, ["b", "c", "e", "a", "d"]),
            (.name, ["b", "c", "e", "a", "d"]), (.metadataValue, ["c", "b", "d", "a", "e"]),
        ]
        #expect(expected.count == ListChannels.Order.allCases.count)
        for (order, channels) in expected {
            for limit in [1, 2, 4, 5, 100] {
                var list = ListChannels(limit: limit, order: order)
                list.includeEmpty = true
                list.metadataKey = order == .metadataValue ? "k" : nil
                #expect(try pages(list, &chat) == channels, "\(order), limit \(limit)")
            }
        }
        var list = ListChannels(limit: 5, order: .name)
        list.includeEmpty = true
        #expect(try chat.ask(list, as: .user(ann)).next == nil, "a page that is just full is the last")
    }

    @Test
    func `CH12: a channel without a visible message is sorted by the time the user joined or was invited`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        for id in ["a", "b", "c"] as [ChannelID] { try chat.create(id, with: id == "b" ? [cat, dan] : []) }
        _ = try chat.invite([cat, dan], to: "c")
        _ = try chat.invite([cat, dan], to: "a")
        let list = ListChannels { $0.includeEmpty = true }
        #expect(try ids(list, &chat, dan) == ["a", "c", "b"])
        #expect(try ids(list, &chat, cat) == ["a", "c", "b"])
        try chat.say("x", in: "b")
        #expect(try ids(list, &chat, dan) == ["b", "a", "c"])
        #expect(try ids(list, &chat, cat) == ["a", "c", "b"], "of the invited nothing of it is seen")
    }

    @Test func `CH12: channels created or changed during paging do not affect the listing of others`() throws {
        for order in [.created, .latestMessage, .name] as [ListChannels.Order] {
            var chat = Chat()
            var expected: [ChannelID] = []
            for number in 10..<30 {
                let id = ChannelID("c\(number)") ?? general
                try chat.run(CreateChannel(id: id, name: "n\(number)"), as: .user(ann))
                try chat.say("x", in: id)
                expected.append(id)
            }
            if order != .name { expected.reverse() }
            var round = 0
            let found = try pages(ListChannels(limit: 3, order: order), &chat) { chat in
                round += 1
                // One new channel comes first, an already listed one gets a message, and two channels are left.
                let id = ChannelID("a\(round)") ?? general
                try chat.run(CreateChannel(id: id, name: "a\(round)"), as: .user(ann))
                try chat.say("x", in: id)
                try chat.say("again", in: expected[round])
                if round == 2 { try chat.run(LeaveChannel(channelID: expected[0]), as: .user(ann)) }
                if round == 3 { try chat.run(LeaveChannel(channelID: expected[15]), as: .user(ann)) }
            }
            expected.remove(at: 15)
            #expect(found == expected, "\(order)")
        }
    }

    @Test func `CH12: a page token is valid only for the same user and filters`() throws {
        var chat = Chat()
        for id in ["a", "b", "c"] as [ChannelID] {
            try chat.create(id, with: [bob])
            try chat.say("x", in: id)
        }
        let token = try #require(try chat.ask(ListChannels(limit: 1), as: .user(ann)).next)
        func refusal(_ user: UserID = ann, _ fill: (inout ListChannels) -> Void) -> ErrorCode? {
            chat.refusal(
                of: ListChannels {
                    $0.next = token
                    fill(&$0)
                }, as: .user(user))
        }
        #expect(refusal { $0.limit = 2 } == nil)
        #expect(refusal(bob) { _ in } == .badRequest)
        let changes: [(inout ListChannels) -> Void] = [
            { $0.order = .created }, { $0.includeEmpty = true }, { $0.memberState = .joined },
            { $0.hiddenState = .all }, { $0.userIDsExact = [] }, { $0.userIDsInclude = [bob] },
            { $0.userIDsQuery = .or }, { $0.nameContains = "" }, { $0.customTypes = ["a"] }, { $0.unreadOnly = true },
            { $0.isPublic = false }, { $0.isSuper = false }, { $0.isDistinct = false },
            {
                $0.order = .metadataValue
                $0.metadataKey = "k"
            },
        ]
        for change in changes { #expect(refusal(ann, change) == .badRequest) }
        let broken = ["", "x", "1", token + ".", "2" + token.dropFirst(), "1.0.zzzzzzzzzzzzzzzz..61.0", "1.0.1.g.61.0"]
        for text in broken {
            #expect(refusal { $0.next = text } == .badRequest, "\(text)")
        }
    }

    @Test func `CH12: fields beyond their limits are refused`() throws {
        var chat = Chat()
        let many = (0...1_000).compactMap { UserID("u\($0)") }
        let refused: [((inout ListChannels) -> Void, ErrorCode)] = [
            ({ $0.limit = 0 }, .invalidValue), ({ $0.limit = 101 }, .invalidValue),
            ({ $0.order = .metadataValue }, .invalidValue), ({ $0.metadataKey = "k" }, .invalidValue),
            ({ $0.userIDsExact = many }, .tooMany), ({ $0.userIDsInclude = [] }, .invalidValue),
            ({ $0.userIDsInclude = Array(many.prefix(101)) }, .tooMany), ({ $0.customTypes = [] }, .invalidValue),
            ({ $0.customTypes = [String(repeating: "x", count: 129)] }, .tooLong),
            ({ $0.nameContains = String(repeating: "x", count: 201) }, .tooLong),
        ]
        for (fill, code) in refused { #expect(chat.refusal(of: ListChannels(nil, fill), as: .user(ann)) == code) }
        #expect(
            chat.refusal(of: ListChannels { $0.userIDsInclude = Array(many.prefix(100)) }, as: .user(ann)) == nil)
    }
}

extension ChatState {
    fileprivate func ids(_ list: ListChannels, _ user: UserID) throws -> [ChannelID] {
        let context = Context(
            caller: .user(user), now: lastAt, freshID: MessageID(high: 0, low: 0), settings: ChatSettings())
        return try list.answer(from: self, context).channels.map(\.id)
    }
}
