import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct ExpiryTests {
    @Test func `MT9: a message ends for everyone after the time that its sender gave it`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: .user(ann))
        let message = try chat.send("secret", expiresIn: 60)
        #expect(message.expiresAt == chat.now + 60_000)
        let stays = try chat.say("hello")
        #expect(stays.expiresAt == nil)
        #expect(try chat.unread(bob) == 2)
        #expect(chat.pass(seconds: 59) == 0)
        #expect(try chat.texts(for: bob) == ["secret", "hello"])
        #expect(chat.pass(seconds: 1) == 1)
        #expect(try chat.texts(for: bob) == ["hello"])
        #expect(try chat.unread(bob) == 1)
        let heard = try #require(chat.heard(by: bob).last)
        #expect(heard.event.type == .messageDeleted && heard.event.messageID == message.id && heard.event.by == nil)
        #expect(chat.lastRecords.allSatisfy { $0.by == nil })
        let get = GetMessage(channelID: general, messageID: message.id)
        #expect(chat.refusal(of: get, as: .user(bob)) == .messageDeleted)
        let listed = try chat.ask(ListMessages(channelID: general, limit: 9, includeDeleted: true), as: .user(bob))
        let tombstone = try #require(listed.messages.first)
        #expect(tombstone.text == nil && tombstone.deletedAt == chat.now && tombstone.expiresAt == message.expiresAt)
    }

    @Test func `MT9: a channel limits the time of its messages, and a message may ask for less`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: .user(ann))
        let before = try chat.say("before")
        let channel = try chat.run(UpdateChannel(channelID: general, messageSeconds: 100), as: .user(ann)).channel
        #expect(channel.messageSeconds == 100)
        let told = chat.heard(by: bob).last?.event
        #expect(told?.type == .channelUpdated && told?.channel?.messageSeconds == 100)
        #expect(before.expiresAt == nil)
        #expect(try chat.say("a").expiresAt == chat.now + 100_000)
        #expect(try chat.send("b", expiresIn: 10).expiresAt == chat.now + 10_000)
        #expect(try chat.send("c", expiresIn: 1_000).expiresAt == chat.now + 100_000)
        chat.pass(seconds: 100)
        #expect(try chat.texts(for: bob) == ["before"])
        #expect(
            try chat.run(UpdateChannel(channelID: general, messageSeconds: 0), as: .user(ann)).channel.messageSeconds
                == nil)
        #expect(try chat.say("d").expiresAt == nil)
    }

    @Test func `MT9: only operators and the server set a channel's time, and a value out of range is refused`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: .user(ann))
        let update = UpdateChannel(channelID: general, messageSeconds: 5)
        #expect(chat.refusal(of: update, as: .user(bob)) == .notAnOperator)
        #expect(chat.refusal(of: update, as: .user(eve)) == .notFound)
        #expect(chat.refusal(of: update, as: .server) == nil)
        for seconds in [-1, 31_536_001, .max, .min] {
            #expect(
                chat.refusal(of: UpdateChannel(channelID: general, messageSeconds: seconds), as: .user(ann))
                    == .invalidValue)
        }
        for seconds in [0, -1, 31_536_001, .max, .min] {
            #expect(
                chat.refusal(
                    of: SendMessage(channelID: general, text: "a", expiresInSeconds: seconds), as: .user(ann))
                    == .invalidValue)
        }
        try chat.run(CreateChannel(id: "live", operatorUserIDs: [ann], isEphemeral: true), as: .user(ann))
        #expect(
            chat.refusal(of: SendMessage(channelID: "live", text: "a", expiresInSeconds: 5), as: .user(ann))
                == .ephemeralChannel)
        #expect(
            chat.refusal(of: UpdateChannel(channelID: "live", messageSeconds: 5), as: .user(ann)) == .ephemeralChannel)
    }

    @Test func `MT9: an edit, a retry and a restart do not prolong a message`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: .user(ann))
        let send = SendMessage(channelID: general, text: "a", clientID: "c", expiresInSeconds: 60)
        let message = try chat.run(send, as: .user(ann)).message
        chat.pass(seconds: 30)
        #expect(try chat.run(send, as: .user(ann)).message.expiresAt == message.expiresAt)
        let edited = try chat.run(
            UpdateMessage(channelID: general, messageID: message.id, text: "b"), as: .user(ann)
        ).message
        #expect(edited.text == "b" && edited.expiresAt == message.expiresAt)
        let copy = try chat.copied()
        for state in [chat.state, copy, chat.replayed] {
            var deadlines = Deadlines(of: state, chat.settings)
            #expect(deadlines.count == 1 && deadlines.next == message.expiresAt)
            let due = deadlines.due(at: chat.now + 30_000, in: state, chat.settings)
            #expect(due.events == [.messageDeleted(general, message.id, files: [])] && due.messages == 1)
        }
        chat.pass(seconds: 30)
        // The client id is known for ever; the message does not come back.
        #expect(chat.refusal(of: send, as: .user(ann)) == .messageDeleted)
    }

    @Test func `MT9: a parent that ends leaves a tombstone, and its replies stay`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: .user(ann))
        let parent = try chat.send("parent", expiresIn: 10)
        let reply = try chat.say("reply", by: bob, to: parent.id)
        chat.pass(seconds: 10)
        let listed = try chat.ask(
            ListMessages(channelID: general, limit: 10, replies: .all, includeParent: true), as: .user(bob)
        ).messages
        #expect(listed.map(\.id) == [reply.id] && listed.first?.parent?.state == .notFound)
    }

    @Test func `MT9: a message deleted before its time is not removed twice`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, operatorUserIDs: [ann]), as: .user(ann))
        let message = try chat.send("a", expiresIn: 10)
        try chat.run(DeleteMessage(channelID: general, messageID: message.id), as: .user(ann))
        #expect(chat.pass(seconds: 20) == 0 && chat.deadlines.count == 0)
        try chat.send("b", expiresIn: 10)
        try chat.run(DeleteChannel(channelID: general), as: .user(ann))
        #expect(chat.pass(seconds: 20) == 0 && chat.deadlines.count == 0)
    }

    @Test func `MT9: many messages that end at once are removed over several turns`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, operatorUserIDs: [ann]), as: .user(ann))
        chat.step = 0
        for _ in 0..<1_500 { try chat.send("a", expiresIn: 10) }
        chat.now += 10_000
        #expect(chat.deadlines.due(at: chat.now, in: chat.state, chat.settings).messages == Deadlines.messagesPerTurn)
        #expect(chat.deadlines.count == 500)
    }

    @Test func `MT9: a follower forgets the times of messages that the writer has removed`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, operatorUserIDs: [ann]), as: .user(ann))
        try chat.send("a", expiresIn: 10)
        var follower = Deadlines(of: chat.state, chat.settings)
        chat.now += 10_000
        follower.dropObsolete(at: chat.now, in: chat.state, chat.settings)
        #expect(follower.count == 1, "not removed yet")
        chat.pass(seconds: 0)
        follower.dropObsolete(at: chat.now, in: chat.state, chat.settings)
        #expect(follower.count == 0)
    }
}

extension Chat {
    @discardableResult
    fileprivate mutating func send(_ text: String, expiresIn seconds: Int) throws -> Message {
        try run(SendMessage(channelID: general, text: text, expiresInSeconds: seconds), as: .user(ann)).message
    }

    fileprivate mutating func unread(_ user: UserID) throws -> Int? {
        try ask(GetChannel(channelID: general), as: .user(user)).channel.my?.unreadCount
    }
}
