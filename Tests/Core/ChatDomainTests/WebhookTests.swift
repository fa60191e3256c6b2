import ChatDomain
import ChatModel
import Testing

/// `L2`: webhooks and push recipients.
@Suite struct WebhookTests {
    private let secret = "0123456789abcdef01234567"

    private func hook(_ id: String, _ events: WebhookEvents = .all) -> SetWebhook {
        SetWebhook(id: id, url: "https://app.example/\(id)", events: events, secret: secret)
    }

    @Test func `L2: webhooks can be set, replaced, listed without secrets, and deleted`() throws {
        var chat = Chat()
        #expect(try chat.run(hook("b"), as: .server).webhook.id == "b")
        try chat.run(hook("a", .types(["push"])), as: .server)
        try chat.run(hook("a", .types(["push"])), as: .server)
        #expect(chat.lastRecords.isEmpty)
        try chat.run(hook("b", .types(["message.new"])), as: .server)
        guard case .webhooksChanged(let targets) = chat.lastEffects.last else {
            Issue.record("told to nobody")
            return
        }
        #expect(targets.map(\.webhook.id) == ["a", "b"] && targets.allSatisfy { $0.secret == secret })
        let listed = try chat.ask(ListWebhooks(), as: .server).webhooks
        #expect(listed.map(\.id) == ["a", "b"] && listed.last?.events == .types(["message.new"]))
        #expect(!"\(listed)".contains(secret))
        #expect(chat.replayed.webhooks == chat.state.webhooks)
        #expect(try chat.run(DeleteWebhook(id: "a"), as: .server).webhook.id == "a")
        #expect(chat.refusal(of: DeleteWebhook(id: "a"), as: .server) == .notFound)
        #expect(try chat.ask(ListWebhooks(), as: .server).webhooks.map(\.id) == ["b"])
    }

    @Test(
        arguments: [
            ("", "https://a.example", .all, 24, .invalidValue), ("a.b", "https://a.example", .all, 24, .invalidValue),
            (String(repeating: "a", count: 65), "https://a.example", .all, 24, .invalidValue),
            ("A_b-9", "http://a.example:1/x?y", .all, 24, nil), ("a", "/path", .all, 24, .invalidValue),
            ("a", "ftp://a.example", .all, 24, .invalidValue), ("a", "https://a b", .all, 24, .invalidValue),
            ("a", "https://a.example", .all, 23, .invalidValue), ("a", "https://a.example", .all, 257, .tooLong),
            ("a", "https://a.example", .types([]), 24, .invalidValue),
            ("a", "https://a.example", .types(["no.such"]), 24, .invalidValue),
            ("a", "https://a.example", .types(["push", "member.joined"]), 256, nil),
        ] as [(String, String, WebhookEvents, Int, ErrorCode?)])
    func `L2: an invalid webhook is refused`(
        id: String, url: String, events: WebhookEvents, secretBytes: Int, expected: ErrorCode?
    ) {
        var chat = Chat()
        let secret = String(repeating: "s", count: secretBytes)
        #expect(chat.refusal(of: SetWebhook(id: id, url: url, events: events, secret: secret), as: .server) == expected)
    }

    @Test func `L2: at most twenty webhooks can be set, and at the limit each can still be replaced`() {
        var chat = Chat()
        for number in 1...20 { #expect(chat.refusal(of: hook("h\(number)"), as: .server) == nil) }
        #expect(chat.refusal(of: hook("more"), as: .server) == .tooMany)
        #expect(chat.refusal(of: hook("h7", .types(["push"])), as: .server) == nil)
    }

    // MARK: Push

    private func pushed(_ chat: Chat) -> [UserID] {
        chat.lastEffects.flatMap { effect -> [UserID] in
            guard case .push(let notice) = effect else { return [] }
            return notice.recipients.map(\.user).sorted()
        }
    }

    private func begin(_ events: WebhookEvents = .all) throws -> Chat {
        var chat = Chat()
        try chat.run(hook("a", events), as: .server)
        for user in [ann, bob, cat, dan] {
            try chat.run(RegisterDevice(provider: .fcm, token: "of \(user)"), as: .user(user))
        }
        try chat.asksBeforeJoining(dan)
        try chat.create(with: [bob, cat, dan, eve])
        return chat
    }

    @Test func `L2: members with devices get pushes, but not the sender or invited users`() throws {
        var chat = try begin()
        try chat.say("hello")
        #expect(pushed(chat) == [bob, cat])
        guard case .push(let notice) = chat.lastEffects.last else {
            Issue.record("no push")
            return
        }
        #expect(notice.message.text == "hello" && notice.position.room == .channel(general))
        let devices = notice.recipients.first { $0.user == bob }?.devices
        #expect(devices == [Device(provider: .fcm, token: "of bob")])
        try chat.say("bye", by: bob)
        #expect(pushed(chat) == [ann, cat])
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        try chat.say("again")
        #expect(pushed(chat) == [bob])
    }

    @Test func `L2: preferences decide who gets pushes, and a channel's preference takes precedence`() throws {
        var chat = try begin()
        try chat.run(UpdatePreferences(push: .off), as: .user(bob))
        try chat.run(SetChannelPush(channelID: general, push: .off), as: .user(cat))
        try chat.say("1")
        #expect(pushed(chat).isEmpty)
        try chat.run(SetChannelPush(channelID: general, push: .all), as: .user(bob))
        try chat.say("2")
        #expect(pushed(chat) == [bob])
        try chat.run(SetChannelPush(channelID: general, push: .mentionOnly), as: .user(bob))
        try chat.run(SetChannelPush(channelID: general, push: .default), as: .user(cat))
        try chat.say("3")
        #expect(pushed(chat) == [cat])
    }

    @Test
    func `L2, MS2: a mention reaches users who want only mentions, and a suppressed push reaches nobody`() throws {
        var chat = try begin()
        try chat.run(UpdatePreferences(push: .mentionOnly), as: .user(bob))
        try chat.run(UpdatePreferences(push: .off), as: .user(cat))
        func send(_ change: (inout SendMessage) -> Void) throws -> [UserID] {
            var request = SendMessage(channelID: general, text: "hello")
            change(&request)
            try chat.run(request, as: .user(ann))
            return pushed(chat)
        }
        #expect(try send { _ in } == [])
        #expect(try send { $0.mentionedUserIDs = [bob, cat] } == [bob])
        #expect(try send { $0.mentionedUserIDs = [cat] } == [])
        #expect(try send { $0.mentionType = .channel } == [bob])
        #expect(try send { ($0.mentionType, $0.pushOption) = (.channel, .suppress) } == [])
    }

    @Test func `PU2: a reply shown only in its thread is pushed to participants and mentioned users`() throws {
        var chat = try begin()
        try chat.run(AcceptInvitation(channelID: general), as: .user(dan))
        let parent = try chat.say("parent").id
        try chat.say("r1", by: bob, to: parent, alsoInChannel: false)
        #expect(pushed(chat) == [ann], "who wrote the parent takes part")
        try chat.say("r2", by: ann, to: parent, alsoInChannel: false)
        #expect(pushed(chat) == [bob])
        func reply(_ change: (inout SendMessage) -> Void) throws -> [UserID] {
            var request = SendMessage(
                channelID: general, text: "r3", parentMessageID: parent, replyToChannel: false)
            change(&request)
            try chat.run(request, as: .user(ann))
            return pushed(chat)
        }
        #expect(try reply { $0.mentionedUserIDs = [cat] } == [bob, cat])
        #expect(try reply { $0.mentionType = .channel } == [bob, cat, dan])
        #expect(try reply { $0.replyToChannel = true } == [bob, cat, dan])
        #expect(try reply { $0.replyToChannel = nil } == [bob, cat, dan])
    }

    @Test
    func `U7: a permanently hidden channel gets no pushes, one hidden until the next message does`()
        throws
    {
        var chat = try begin()
        try chat.run(HideChannel(channelID: general, allowAutoUnhide: false), as: .user(bob))
        try chat.run(HideChannel(channelID: general), as: .user(cat))
        try chat.say("hello")
        #expect(pushed(chat) == [cat])
        try chat.run(SendMessage(channelID: general, text: "you", mentionedUserIDs: [bob]), as: .user(ann))
        #expect(pushed(chat) == [cat])
        try chat.run(UnhideChannel(channelID: general), as: .user(bob))
        try chat.say("again")
        #expect(pushed(chat) == [bob, cat])
    }

    @Test func `L2, US2: deactivated users get no pushes`() throws {
        var chat = try begin()
        try chat.run(DeactivateUser(userID: bob), as: .server)
        try chat.say("hello")
        #expect(pushed(chat) == [cat])
    }

    @Test func `L2: no pushes are created unless a webhook subscribes to them`() throws {
        var chat = try begin(.types(["message.new"]))
        try chat.say("hello")
        #expect(pushed(chat).isEmpty)
    }

    @Test func `L2, CH7: the push for a reply does not quote its parent`() throws {
        var chat = try begin()
        let parent = try chat.say("from before")
        try chat.say("reply", to: parent.id)
        guard case .push(let notice) = chat.lastEffects.last else {
            Issue.record("no push")
            return
        }
        #expect(notice.message.parentMessageID == parent.id && notice.message.parent == nil)
    }
}
