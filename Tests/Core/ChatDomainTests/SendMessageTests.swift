import ChatDomain
import ChatModel
import Testing

/// Covers `MS1`–`MS3`, `MS6`, `MS9`, `T1`–`T3`.
@Suite struct SendMessageTests {
    @Test func `MS3: the sender gets the stored message, and every member receives the same`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let message = try chat.run(
            SendMessage(channelID: general, text: "hi", clientID: "c1", customType: "note", data: "{}"), as: .user(ann)
        ).message
        #expect((message.text, message.kind, message.user?.id) == ("hi", .text, ann))
        #expect((message.clientID, message.customType, message.data) == ("c1", "note", "{}"))
        #expect((message.createdAt, message.offset) == (chat.now, 3))
        #expect((message.parentMessageID, message.replyToChannel, message.parent) == (nil, nil, nil))
        for member in [ann, bob] {
            let heard = try #require(chat.heard(by: member).last)
            #expect(heard.room == .channel(general) && heard.offset == 3)
            #expect(heard.event == TypedEvent(type: .messageNew, at: chat.now, by: ann, message: message))
        }
        let got = try chat.ask(GetMessage(channelID: general, messageID: message.id), as: .user(bob)).message
        #expect(got == message)
    }

    @Test func `MS6: a message is found by its id only in its own channel`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.create("other")
        let message = try chat.say("hi")
        #expect(chat.refusal(of: GetMessage(channelID: "other", messageID: message.id), as: .user(ann)) == .notFound)
        #expect(chat.refusal(of: GetMessage(channelID: "none", messageID: message.id), as: .user(ann)) == .notFound)
        #expect(chat.refusal(of: GetMessage(channelID: general, messageID: message.id), as: .user(cat)) == .notFound)
        #expect(chat.refusal(of: GetMessage(channelID: general, messageID: message.id), as: .server) == nil)
    }

    @Test(
        arguments: [
            (SendMessage(channelID: general), .invalidValue),
            (SendMessage(channelID: general, text: ""), .invalidValue),
            (SendMessage(channelID: general, text: String(repeating: "é", count: 8_192)), nil),
            (SendMessage(channelID: general, text: String(repeating: "é", count: 8_192) + "x"), .tooLong),
            (SendMessage(channelID: general, text: "x", clientID: ""), .invalidValue),
            (SendMessage(channelID: general, text: "x", clientID: String(repeating: "c", count: 128)), nil),
            (SendMessage(channelID: general, text: "x", clientID: String(repeating: "c", count: 129)), .tooLong),
            (SendMessage(channelID: general, text: "x", customType: String(repeating: "c", count: 129)), .tooLong),
            (SendMessage(channelID: general, text: "x", data: String(repeating: "c", count: 8_192)), nil),
            (SendMessage(channelID: general, text: "x", data: String(repeating: "c", count: 8_193)), .tooLong),
            (SendMessage(channelID: general, text: "x", kind: .text), nil),
            (SendMessage(channelID: general, text: "x", kind: .admin), .serverOnly),
            (SendMessage(channelID: general, text: "x", replyToChannel: true), .invalidValue),
            (SendMessage(channelID: general, text: "x", replyToChannel: false), .invalidValue),
            (
                SendMessage(channelID: general, text: "x", parentMessageID: MessageID(high: 1, low: 1)), .notFound
            ),
            (SendMessage(channelID: "nowhere", text: "x"), .notFound),
        ] as [(SendMessage, ErrorCode?)])
    func `MS1: messages from users are refused if a field exceeds its limit`(
        request: SendMessage, refusal: ErrorCode?
    ) throws {
        var chat = Chat()
        try chat.create()
        #expect(chat.refusal(of: request, as: .user(ann)) == refusal)
        #expect(chat.lastRecords.isEmpty == (refusal != nil))
    }

    @Test func `MS1: the app can send admin messages in every channel, and no other kind`() throws {
        var chat = Chat()
        try chat.create()
        let message = try chat.run(SendMessage(channelID: general, text: "maintenance"), as: .server).message
        #expect(message.kind == .admin && message.user == nil)
        #expect(chat.heard(by: ann).last?.event.by == nil)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x", kind: .admin), as: .server) == nil)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x", kind: .text), as: .server) == .badRequest)
    }

    /// Each case has its own code: invited, not a member, left, a stranger.
    @Test func `MS9: a user who cannot send gets the reason`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(bob)
        try chat.create(with: [bob, cat], isPublic: true)
        try chat.create("closed")
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        let send = SendMessage(channelID: general, text: "x")
        #expect(chat.refusal(of: send, as: .user(bob)) == .invitedNotMember)
        #expect(chat.refusal(of: send, as: .user(cat)) == .notAMember)
        #expect(chat.refusal(of: send, as: .user(dan)) == .notAMember)
        #expect(chat.refusal(of: SendMessage(channelID: "closed", text: "x"), as: .user(dan)) == .notFound)
    }

    // MARK: MS3

    @Test
    func `MS3: resending with the same client id returns the existing message and creates no second one`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let request = SendMessage(channelID: general, text: "hi", clientID: "c1")
        let first = try chat.run(request, as: .user(ann)).message
        let again = try chat.run(request, as: .user(ann)).message
        #expect(again == first)
        #expect(chat.lastRecords.isEmpty && chat.lastEffects.isEmpty)
        #expect(try chat.run(request, as: .user(bob)).message.id != first.id, "unique per user")
        try chat.create("other")
        let elsewhere = SendMessage(channelID: "other", text: "hi", clientID: "c1")
        #expect(try chat.run(elsewhere, as: .user(ann)).message.id != first.id, "and per channel")
        #expect(try chat.texts(for: ann) == ["hi", "hi"])
    }

    @Test func `MS3: the same client id with other content is refused`() throws {
        var chat = Chat()
        try chat.create()
        let parent = try chat.say("parent")
        let first = SendMessage(
            channelID: general, text: "hi", clientID: "c1", parentMessageID: parent.id, customType: "é", data: "é")
        try chat.run(first, as: .user(ann))
        var sameDefaults = first
        sameDefaults.replyToChannel = true
        #expect(chat.refusal(of: sameDefaults, as: .user(ann)) == nil, "absent means true")
        let changes: [(inout SendMessage) -> Void] = [
            { $0.text = "hi!" }, { $0.parentMessageID = nil }, { $0.replyToChannel = false }, { $0.customType = nil },
            { $0.data = nil }, { $0.customType = "e\u{301}" }, { $0.data = "e\u{301}" },
        ]
        for (index, change) in changes.enumerated() {
            var other = first
            change(&other)
            #expect(chat.refusal(of: other, as: .user(ann)) == .clientIDConflict, "change \(index)")
        }
    }

    @Test func `MS3: texts and client ids are compared byte by byte`() throws {
        var chat = Chat()
        try chat.create()
        try chat.run(SendMessage(channelID: general, text: "caf\u{E9}", clientID: "\u{E9}"), as: .user(ann))
        let spelled = SendMessage(channelID: general, text: "cafe\u{301}", clientID: "\u{E9}")
        #expect(chat.refusal(of: spelled, as: .user(ann)) == .clientIDConflict)
        let other = SendMessage(channelID: general, text: "other", clientID: "e\u{301}")
        #expect(chat.refusal(of: other, as: .user(ann)) == nil)
        #expect(try chat.texts(for: ann).count == 2)
    }

    @Test func `MS3: a retry is answered without checking the parent, even after rejoining the channel`() throws {
        var chat = Chat()
        chat.settings.historyVisibleToNewcomers = false
        try chat.create(with: [bob], isPublic: true)
        let parent = try chat.say("parent")
        let request = SendMessage(channelID: general, text: "hi", clientID: "c1", parentMessageID: parent.id)
        let first = try chat.run(request, as: .user(bob)).message
        #expect(first.parent?.state == .ok)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        #expect(chat.refusal(of: request, as: .user(bob)) == .notAMember)
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        let again = try chat.run(request, as: .user(bob)).message
        #expect(again.id == first.id)
        #expect(again.parent == MessageParent(id: parent.id, state: .unavailable), "CH7")
    }

    // MARK: Threads

    @Test func `T1: a reply to a reply is refused`() throws {
        var chat = Chat()
        try chat.create()
        let parent = try chat.say("parent")
        let reply = try chat.say("reply", to: parent.id)
        let nested = SendMessage(channelID: general, text: "x", parentMessageID: reply.id)
        #expect(chat.refusal(of: nested, as: .user(ann)) == .threadDepth)
        let hidden = try chat.say("thread only", to: parent.id, alsoInChannel: false)
        let alsoNested = SendMessage(channelID: general, text: "x", parentMessageID: hidden.id)
        #expect(chat.refusal(of: alsoNested, as: .user(ann)) == .threadDepth)
    }

    @Test func `T2: an admin message cannot be a parent, and a parent must be in the same channel`() throws {
        var chat = Chat()
        try chat.create()
        try chat.create("other")
        let admin = try chat.run(SendMessage(channelID: general, text: "m"), as: .server).message
        let toAdmin = SendMessage(channelID: general, text: "x", parentMessageID: admin.id)
        #expect(chat.refusal(of: toAdmin, as: .user(ann)) == .wrongMessageKind)
        let elsewhere = try chat.say("elsewhere", in: "other")
        let across = SendMessage(channelID: general, text: "x", parentMessageID: elsewhere.id)
        #expect(chat.refusal(of: across, as: .user(ann)) == .notFound)
    }

    @Test(arguments: [(nil, true), (true, true), (false, false)] as [(Bool?, Bool)])
    func `T3: a reply is shown in the channel unless the sender says otherwise`(wish: Bool?, stands: Bool) throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        let reply = try chat.say("reply", by: bob, to: parent.id, alsoInChannel: wish)
        #expect(reply.replyToChannel == stands)
        #expect(
            reply.parent
                == MessageParent(
                    id: parent.id, state: .ok, kind: .text, text: "parent", user: parent.user,
                    createdAt: parent.createdAt))
        let event = try #require(chat.heard(by: ann).last?.event)
        #expect(event.type == .threadReply && event.message == reply)
        #expect(event.thread?.replyCount == 1 && event.thread?.mostRepliedUsers?.map(\.id) == [bob])
        let inChannel = ListMessages(channelID: general, replies: .onlyReplyToChannel)
        #expect(try chat.ask(inChannel, as: .user(ann)).messages.count == (stands ? 2 : 1))
        let last = try chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.lastMessage
        #expect(last?.text == (stands ? "reply" : "parent"))
    }
}
