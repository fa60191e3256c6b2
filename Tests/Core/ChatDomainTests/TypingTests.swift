import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// `L1` and other transient events.
@Suite struct TypingTests {
    private func begin(_ settings: ChatSettings = ChatSettings()) throws -> Chat {
        var chat = Chat(settings: settings)
        chat.step = 0
        try chat.create(with: [bob, cat])
        chat.forgetWhatWasHeard()
        return chat
    }

    private let start = StartTyping(channelID: general)
    private let stop = StopTyping(channelID: general)

    private func typing(_ chat: Chat, _ user: UserID = ann) -> [TypedEvent] {
        chat.heard(by: user).map(\.event).filter { $0.typing != nil }
    }

    @Test func `L1: everyone in the channel learns who is typing and until when, and nothing is stored`() throws {
        var chat = try begin()
        let (records, state) = (chat.records.count, chat.state.standings(of: ann))
        try chat.signal(start, as: .user(bob))
        for user in [ann, bob, cat] {
            let heard = try #require(chat.heard(by: user).first)
            #expect(heard.room == .channel(general) && heard.offset == 0)
            #expect(heard.event.type == .typingStarted && heard.event.by == bob && heard.event.at == chat.now)
            #expect(heard.event.typing?.user.id == bob && heard.event.typing?.channelID == general)
            #expect(heard.event.typing?.expiresAt == chat.now + 10_000)
        }
        #expect(chat.heard(by: dan).isEmpty)
        try chat.signal(stop, as: .user(bob))
        #expect(typing(chat).map(\.type) == [.typingStarted, .typingStopped])
        #expect(typing(chat).last?.typing?.expiresAt == nil)
        #expect(chat.records.count == records && chat.state.standings(of: ann) == state)
    }

    @Test func `L1: typing expires once, if neither renewed nor stopped`() throws {
        var chat = try begin()
        try chat.signal(start, as: .user(bob))
        chat.now += 6_000
        try chat.signal(start, as: .user(bob))
        chat.now += 9_999
        chat.expire()
        #expect(typing(chat).map(\.type) == [.typingStarted, .typingStarted])
        chat.now += 1
        chat.expire()
        chat.expire()
        #expect(typing(chat).map(\.type) == [.typingStarted, .typingStarted, .typingStopped])
        #expect(chat.live.typing.isEmpty)
        try chat.signal(stop, as: .user(bob))
        #expect(typing(chat).count == 3, "who does not write cannot stop")
    }

    @Test
    func `L1: typing is forwarded at most once a second, and its expiry counts from the last forwarded report`() throws
    {
        var chat = try begin()
        for _ in 0...20 {
            try chat.signal(start, as: .user(bob))
            chat.now += 100
        }
        #expect(typing(chat).count == 3)
    }

    @Test func `L1: a silenced user is not shown as typing`() throws {
        var chat = try begin()
        try chat.asksBeforeJoining(dan)
        _ = try chat.invite([dan])
        #expect(chat.refusal(of: start, as: .user(dan)) == .invitedNotMember)
        #expect(chat.refusal(of: start, as: .user(eve)) == .notFound)
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        #expect(chat.refusal(of: start, as: .user(bob)) == .muted)
        try chat.run(BanMember(channelID: general, userID: cat), as: .server)
        #expect(chat.refusal(of: start, as: .user(cat)) == .notFound)
        try chat.run(FreezeChannel(channelID: general), as: .server)
        #expect(chat.refusal(of: start, as: .user(ann)) == .channelFrozen)
        #expect(chat.refusal(of: stop, as: .user(ann)) == nil)
        #expect(typing(chat).isEmpty)
    }

    @Test func `L1: no typing stop is sent for a user who has left`() throws {
        var chat = try begin()
        try chat.signal(start, as: .user(bob))
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        chat.now += 10_000
        chat.expire()
        #expect(typing(chat).map(\.type) == [.typingStarted] && chat.live.typing.isEmpty)
    }

    @Test(arguments: [(2, 0), (3, 1)]) func `US6: a channel above the size limit gets no transient events`(
        members: Int, count: Int
    ) throws {
        var settings = ChatSettings()
        settings.presenceMembers = members
        var chat = try begin(settings)
        try chat.signal(start, as: .user(bob))
        #expect(typing(chat).count == count)
        try chat.run(UpsertUser(id: bob, nickname: "Bob"), as: .server)
        #expect(chat.heard(by: ann).count == 2 * count)
    }

    @Test func `user.updated reaches users who share a channel, without offset and metadata`() throws {
        var chat = try begin()
        try chat.create("other", by: dan, with: [bob])
        chat.forgetWhatWasHeard()
        try chat.run(UpsertUser(id: bob, nickname: "Bob", metadata: ["a": "b"]), as: .server)
        for (user, room) in [(ann, Room.channel(general)), (dan, .channel("other"))] {
            let heard = chat.heard(by: user)
            #expect(heard.map(\.room) == [room] && heard.map(\.offset) == [0])
            #expect(heard.map(\.event.type) == [.userUpdated])
            #expect(heard.first?.event.user == User(id: bob, nickname: "Bob", isActive: true))
        }
        #expect(chat.heard(by: eve).isEmpty)
        try chat.run(DeactivateUser(userID: bob), as: .server)
        #expect(chat.heard(by: ann).last?.event.user?.isActive == false)
        #expect(chat.heard(by: bob).count == 2, "nothing after the end")
    }
}
