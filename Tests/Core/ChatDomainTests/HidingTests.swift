import ChatDomain
import ChatModel
import Testing

/// Covers `CH11` and `CH16`.
@Suite struct HidingTests {
    private func begin() throws -> Chat {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.create(with: [bob, cat])
        try chat.say("one")
        chat.forgetWhatWasHeard()
        return chat
    }

    private struct Sight: Equatable {
        var state: HiddenState?
        var last: String?
    }

    private func my(_ user: UserID, _ chat: inout Chat) throws -> Sight {
        let channel = try chat.ask(GetChannel(channelID: general), as: .user(user)).channel
        return Sight(state: channel.my?.hiddenState, last: channel.lastMessage?.text)
    }

    @Test(
        arguments: [
            (nil, .hiddenAllowAutoUnhide), (true, .hiddenAllowAutoUnhide), (false, .hiddenPreventAutoUnhide),
        ] as [(Bool?, HiddenState)])
    func `CH11: hiding is reported once, and only in the user's own inbox`(allows: Bool?, state: HiddenState) throws {
        var chat = try begin()
        #expect(try my(bob, &chat) == Sight(state: .unhidden, last: "one"))
        let hide = HideChannel(channelID: general, allowAutoUnhide: allows)
        #expect(try chat.run(hide, as: .user(bob)).channel.my?.hiddenState == state)
        #expect(try my(bob, &chat) == Sight(state: state, last: "one"))
        #expect(try my(ann, &chat).state == .unhidden)
        let event = try #require(chat.heard(by: bob).last)
        #expect(event.room == .inbox(bob) && event.event.type == .channelHidden && event.event.by == bob)
        #expect(event.event.channel?.my?.hiddenState == state && event.event.channel?.lastMessage == nil)
        #expect(chat.heard(by: ann).isEmpty)
        try chat.run(hide, as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
        try chat.run(UnhideChannel(channelID: general), as: .user(bob))
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.channelHidden, .channelUnhidden])
        #expect(try my(bob, &chat).state == .unhidden)
        try chat.run(UnhideChannel(channelID: general), as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `CH11: a hidden channel can change from one kind of hiding to the other`() throws {
        var chat = try begin()
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        try chat.run(HideChannel(channelID: general, allowAutoUnhide: false), as: .user(bob))
        try chat.say("two")
        #expect(try my(bob, &chat).state == .hiddenPreventAutoUnhide)
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        #expect(try my(bob, &chat).state == .hiddenAllowAutoUnhide)
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.channelHidden, .channelHidden, .channelHidden])
    }

    @Test func `CH11: another user's message unhides the channel if the kind of hiding allows it`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat, dan])
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        try chat.run(HideChannel(channelID: general, allowAutoUnhide: false), as: .user(cat))
        try chat.run(HideChannel(channelID: general), as: .user(ann))
        chat.forgetWhatWasHeard()
        try chat.say("hello", by: ann)
        #expect(chat.lastRecords.count == 2)
        #expect(chat.heard(by: bob).map(\.event.type) == [.messageNew, .channelUnhidden])
        #expect(chat.heard(by: bob).last?.event.channel?.my?.hiddenState == .unhidden)
        #expect(try my(bob, &chat).state == .unhidden)
        #expect(try my(cat, &chat).state == .hiddenPreventAutoUnhide)
        #expect(try my(ann, &chat).state == .hiddenAllowAutoUnhide, "one's own message brings nothing back")
        for user in [ann, cat, dan] { #expect(chat.heard(by: user, in: .inbox(user)).isEmpty) }
        try chat.run(SendMessage(channelID: general, text: "from the app"), as: .server)
        #expect(try my(ann, &chat).state == .unhidden)
        try chat.say("again", by: bob)
        #expect(chat.lastRecords.count == 1)
    }

    @Test
    func `CH11: a reply shown only in its thread does not unhide the channel, one shown in the channel does`() throws {
        var chat = try begin()
        let parent = try chat.say("parent")
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        try chat.say("quiet", to: parent.id, alsoInChannel: false)
        #expect(try my(bob, &chat).state == .hiddenAllowAutoUnhide)
        try chat.say("loud", to: parent.id)
        #expect(try my(bob, &chat).state == .unhidden)
    }

    @Test func `CH11: resending a message does not unhide the channel`() throws {
        var chat = try begin()
        let send = SendMessage(channelID: general, text: "hello", clientID: "a1")
        try chat.run(send, as: .user(ann))
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        try chat.run(send, as: .user(ann))
        #expect(try my(bob, &chat).state == .hiddenAllowAutoUnhide)
    }

    @Test func `CH11: leaving a channel unhides it`() throws {
        var chat = try begin()
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.say("two")
        #expect(chat.lastRecords.count == 1)
        _ = try chat.invite([bob])
        #expect(try my(bob, &chat).state == .unhidden)
    }

    @Test(arguments: [true, false])
    func `CH11 CH16: clearing the history hides old messages for the user alone, and no new ones`(resets: Bool) throws {
        var chat = try begin()
        let old = try chat.say("two")
        func clear(_ chat: inout Chat) throws -> Channel {
            resets
                ? try chat.run(ResetHistory(channelID: general), as: .user(bob)).channel
                : try chat.run(HideChannel(channelID: general, hidePreviousMessages: true), as: .user(bob)).channel
        }
        chat.forgetWhatWasHeard()
        let cleared = try clear(&chat)
        #expect(cleared.lastMessage == nil)
        #expect(cleared.my?.hiddenState == (resets ? .unhidden : .hiddenAllowAutoUnhide))
        #expect(chat.heard(by: bob).map(\.event.type) == [resets ? .channelHistoryReset : .channelHidden])
        #expect(chat.heard(by: ann).isEmpty)
        #expect(try chat.texts(for: bob).isEmpty)
        #expect(try chat.texts(for: ann) == ["one", "two"])
        #expect(chat.refusal(of: GetMessage(channelID: general, messageID: old.id), as: .user(bob)) == .notFound)
        _ = try clear(&chat)
        #expect(chat.lastRecords.isEmpty, "there is nothing left to take away")
        let reply = try chat.say("reply", to: old.id)
        #expect(chat.heard(by: bob, in: .channel(general)) == [.threadReply])
        let heard = try #require(chat.heard(by: bob).first { $0.event.type == .threadReply }?.event)
        #expect(heard.message?.parent == MessageParent(id: old.id, state: .unavailable), "a living connection too")
        #expect(chat.heard(by: ann).last?.event.message?.parent?.text == "two")
        #expect(try my(bob, &chat) == Sight(state: .unhidden, last: "reply"))
        #expect(try chat.texts(for: bob) == ["reply"])
        #expect(reply.parent?.text == "two")
        _ = try clear(&chat)
        #expect(try chat.lastRecords.count == 1 && chat.texts(for: bob).isEmpty)
    }

    @Test func `CH16: no event from before the reset is recovered, and every later one is`() throws {
        var chat = try begin()
        try chat.run(ResetHistory(channelID: general), as: .user(bob))
        let top = try #require(chat.state.standings(of: ann).first { $0.room == .channel(general) }).offset
        let standing = try #require(chat.state.standings(of: bob).first { $0.room == .channel(general) })
        #expect((standing.offset, standing.since, standing.visibleFrom) == (top, top, top + 1))
        try chat.say("two")
        #expect(try chat.texts(for: bob) == ["two"])
        #expect(chat.replayed.standings(of: bob) == chat.state.standings(of: bob))
    }

    @Test func `CH16 T3: the first message after a reset can be quoted`() throws {
        var chat = try begin()
        try chat.run(ResetHistory(channelID: general), as: .user(bob))
        let first = try chat.say("two")
        let reply = try chat.say("reply", by: bob, to: first.id)
        #expect(reply.parent?.state == .ok && reply.parent?.text == "two")
    }

    @Test func `CH11 CH16: only members can hide channels and clear history`() throws {
        var chat = try begin()
        for (user, code) in [(cat, .invitedNotMember), (dan, .notFound)] as [(UserID, ErrorCode)] {
            #expect(chat.refusal(of: HideChannel(channelID: general), as: .user(user)) == code)
            #expect(chat.refusal(of: UnhideChannel(channelID: general), as: .user(user)) == code)
            #expect(chat.refusal(of: ResetHistory(channelID: general), as: .user(user)) == code)
        }
        #expect(chat.refusal(of: HideChannel(channelID: general), as: .server) == .badRequest)
    }
}
