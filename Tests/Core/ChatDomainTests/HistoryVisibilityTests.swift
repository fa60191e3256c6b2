import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// `CH7`: hidden text appears in no event, list or quote.
@Suite struct HistoryVisibilityTests {
    static let secret = "the hidden text"

    /// Returns a chat in which ann wrote before bob joined.
    private func begin(visible: Bool) throws -> (chat: Chat, hidden: Message) {
        var chat = Chat()
        chat.settings.historyVisibleToNewcomers = visible
        try chat.create(isPublic: true)
        let hidden = try chat.say(Self.secret)
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        return (chat, hidden)
    }

    @Test func `CH7: by default new members see earlier messages`() throws {
        var (chat, old) = try begin(visible: true)
        #expect(try chat.texts(for: bob) == [Self.secret])
        let reply = try chat.say("reply", by: bob, to: old.id)
        #expect(reply.parent?.text == Self.secret)
        #expect(chat.heard(by: bob).last?.event.thread?.replyCount == 1)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.lastMessage?.text == "reply")
    }

    @Test func `CH7: if history is hidden, lists, get and the channel show nothing from before the join`() throws {
        var (chat, hidden) = try begin(visible: false)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.lastMessage == nil)
        try chat.say("since")
        #expect(try chat.texts(for: bob) == ["since"])
        #expect(try chat.texts(for: ann) == [Self.secret, "since"])
        #expect(chat.refusal(of: GetMessage(channelID: general, messageID: hidden.id), as: .user(bob)) == .notFound)
        let around = ListMessages(channelID: general, messageID: hidden.id, previous: 1, next: 1)
        #expect(chat.refusal(of: around, as: .user(bob)) == .notFound)
        for at in [hidden.createdAt - 1, hidden.createdAt, hidden.createdAt + 1, chat.now, .min, .max] {
            let query = ListMessages(channelID: general, at: at, previous: 100, next: 100)
            let answer = try chat.ask(query, as: .user(bob))
            #expect(answer.messages.compactMap(\.text) == ["since"], "at \(at)")
            #expect(!answer.hasPrevious && !answer.hasNext)
        }
        let replies = ListReplies(channelID: general, parentMessageID: hidden.id)
        #expect(chat.refusal(of: replies, as: .user(bob)) == .parentUnavailable)
        let reply = SendMessage(channelID: general, text: "x", parentMessageID: hidden.id)
        #expect(chat.refusal(of: reply, as: .user(bob)) == .parentUnavailable)
    }

    @Test func `CH7: a page reveals nothing about earlier hidden messages`() throws {
        var (chat, _) = try begin(visible: false)
        for number in 0..<3 { try chat.say("m\(number)") }
        let page = try chat.ask(ListMessages(channelID: general, limit: 3), as: .user(bob))
        #expect(page.messages.count == 3 && !page.hasPrevious && page.next == nil)
    }

    @Test func `CH7: a reply to a hidden parent reaches late joiners with only the parent's id`() throws {
        var (chat, hidden) = try begin(visible: false)
        chat.forgetWhatWasHeard()
        let sent = try chat.say("reply", to: hidden.id)
        let bobs = try #require(chat.heard(by: bob).last?.event)
        #expect(bobs.type == .threadReply && bobs.message?.text == "reply")
        #expect(bobs.message?.parent == MessageParent(id: hidden.id, state: .unavailable))
        #expect(bobs.thread == MessageThread(channelID: general, parentMessageID: hidden.id))
        #expect(!"\(bobs)".contains(Self.secret))
        let anns = try #require(chat.heard(by: ann).last?.event)
        #expect(anns.message == sent && anns.thread?.replyCount == 1)
        #expect(sent.parent?.text == Self.secret)
        // Lists behave the same.
        let list = ListMessages(channelID: general, replies: .all, includeThread: true, includeParent: true)
        let message = try #require(try chat.ask(list, as: .user(bob)).messages.first)
        #expect(message.parent == MessageParent(id: hidden.id, state: .unavailable))
        let last = try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.lastMessage
        #expect(last?.parent?.state == .unavailable && last?.text == "reply")
    }

    @Test func `CH7: a parent is complete for members who joined before it and unavailable to later ones`() throws {
        var (chat, _) = try begin(visible: false)
        let open = try chat.say("open")
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        try chat.say("reply", to: open.id)
        #expect(chat.heard(by: bob).last?.event.message?.parent?.text == "open")
        #expect(chat.heard(by: cat).last?.event.message?.parent?.state == .unavailable)
        #expect(chat.heard(by: cat).last?.event.thread?.replyCount == nil)
    }

    /// The boundary: the offset of the join lies between the last hidden message and the first visible one.
    @Test func `CH7: the visible history begins with the join`() throws {
        var (chat, hidden) = try begin(visible: false)
        let first = try chat.say("first")
        let standing = try chat.state.standing(of: bob, in: .channel(general))
        #expect(standing.visibleFrom == hidden.offset + 1)
        #expect(standing.since == hidden.offset, "recovery from before the arrival is refused")
        #expect(first.offset == hidden.offset + 2)
        #expect(standing.offset == first.offset)
    }

    @Test func `CH7: history that was visible before leaving is hidden after rejoining`() throws {
        var (chat, _) = try begin(visible: false)
        try chat.say("seen")
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.say("absent")
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        try chat.say("back")
        #expect(try chat.texts(for: bob) == ["back"])
    }

    @Test func `CH7: changing the setting does not affect current members`() throws {
        var (chat, _) = try begin(visible: false)
        chat.settings.historyVisibleToNewcomers = true
        #expect(try chat.texts(for: bob) == [])
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        #expect(try chat.texts(for: cat) == [Self.secret])
    }

    @Test func `CH7: a page token from before leaving returns nothing hidden after rejoining`() throws {
        var (chat, _) = try begin(visible: false)
        for number in 0..<5 { try chat.say("m\(number)") }
        let page = try chat.ask(ListMessages(channelID: general, limit: 2), as: .user(bob))
        let token = try #require(page.next)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        let next = try chat.ask(ListMessages(channelID: general, next: .token(token), limit: 2), as: .user(bob))
        #expect(next.messages.isEmpty && next.next == nil)
    }

    @Test func `CH17: a continuous member recovers from the start of the room, a rejoined one from the rejoin`()
        throws
    {
        var (chat, _) = try begin(visible: true)
        #expect(try chat.state.standing(of: ann, in: .channel(general)).since == 0)
        let joined = try chat.state.standing(of: bob, in: .channel(general))
        #expect((joined.since, joined.offset) == (2, 3))
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        let again = try chat.state.standing(of: bob, in: .channel(general))
        #expect((again.since, again.offset) == (4, 5))
        #expect(again.epoch == joined.epoch)
        guard case .gained(bob, let gained) = try #require(chat.lastEffects.first) else {
            Issue.record("the gain stands before the event")
            return
        }
        #expect(gained.offset == 4 && gained.since == 4 && gained.visibleFrom == 0)
    }
}
