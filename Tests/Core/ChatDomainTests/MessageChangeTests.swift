import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// Covers `MS7` and `MS8`.
@Suite struct MessageChangeTests {
    /// Returns a chat in which ann and bob are members, eve is an operator, and cat is neither.
    private func begin(visible: Bool = true) throws -> (chat: Chat, message: Message) {
        var chat = Chat()
        chat.settings.historyVisibleToNewcomers = visible
        try chat.run(
            CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [eve], isPublic: true), as: .user(ann))
        let message = try chat.run(
            SendMessage(channelID: general, text: "hello", clientID: "c1", customType: "note", data: "{}"),
            as: .user(ann)
        ).message
        chat.forgetWhatWasHeard()
        return (chat, message)
    }

    private func update(_ message: Message, _ text: String? = "changed") -> UpdateMessage {
        UpdateMessage(channelID: general, messageID: message.id, text: text)
    }

    private func delete(_ message: Message) -> DeleteMessage {
        DeleteMessage(channelID: general, messageID: message.id)
    }

    private func get(_ message: Message) -> GetMessage { GetMessage(channelID: general, messageID: message.id) }

    // MARK: MS7

    @Test func `MS7: a change reaches everyone including its author, and persists`() throws {
        var (chat, message) = try begin()
        var changed = update(message)
        changed.customType = ""
        let answer = try chat.run(changed, as: .user(ann)).message
        #expect(answer.text == "changed" && answer.customType == nil && answer.data == "{}")
        #expect(answer.updatedAt == chat.now && answer.createdAt == message.createdAt)
        #expect(answer.id == message.id && answer.offset == message.offset)
        for user in [ann, bob, eve] {
            let heard = try #require(chat.heard(by: user).last)
            #expect(heard.event.type == .messageUpdated && heard.event.by == ann && heard.event.message == answer)
            #expect(heard.offset > message.offset)
        }
        #expect(chat.heard(by: cat).isEmpty)
        #expect(try chat.ask(get(message), as: .user(bob)).message == answer)
        #expect(try chat.texts(for: bob) == ["changed"])
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.lastMessage?.text == "changed")
    }

    @Test func `MS7: users can change their own messages; operators and the server can change any`() throws {
        var (chat, message) = try begin()
        #expect(chat.refusal(of: update(message), as: .user(bob)) == .notTheAuthor)
        #expect(chat.refusal(of: update(message), as: .user(cat)) == .notAMember)
        #expect(try chat.run(update(message, "by eve"), as: .user(eve)).message.user?.id == ann)
        #expect(chat.heard(by: ann).last?.event.by == eve)
        #expect(try chat.run(update(message, "by the app"), as: .server).message.text == "by the app")
        let notice = try chat.run(SendMessage(channelID: general, text: "notice"), as: .server).message
        #expect(chat.refusal(of: update(notice), as: .user(ann)) == .notTheAuthor)
        #expect(chat.refusal(of: update(notice), as: .user(eve)) == nil)
        // A former member has no rights any more, not even as operator or author.
        try chat.run(LeaveChannel(channelID: general), as: .user(ann))
        #expect(chat.refusal(of: update(message), as: .user(ann)) == .notAMember)
    }

    @Test func `MS7: a change without effect publishes no event`() throws {
        var (chat, message) = try begin()
        let answer = try chat.run(update(message, "hello"), as: .user(ann)).message
        #expect(answer == message && chat.lastRecords.isEmpty)
        try chat.run(update(message, nil), as: .user(ann))
        #expect(chat.lastRecords.isEmpty && chat.heard(by: bob).isEmpty)
        // A different encoding of the same letter is different text.
        try chat.run(update(message, "caf\u{E9}"), as: .user(ann))
        try chat.run(update(message, "cafe\u{301}"), as: .user(ann))
        #expect(chat.lastRecords.count == 1)
    }

    @Test func `MS7: a change that is too long, empty or to an unknown message is refused`() throws {
        var (chat, message) = try begin()
        let nowhere = UpdateMessage(channelID: general, messageID: MessageID(high: 9, low: 9), text: "x")
        #expect(chat.refusal(of: nowhere, as: .user(ann)) == .notFound)
        #expect(chat.refusal(of: update(message, ""), as: .user(ann)) == .invalidValue)
        let limit = FieldLimits.textBytes
        #expect(chat.refusal(of: update(message, String(repeating: "x", count: limit + 1)), as: .user(ann)) == .tooLong)
        #expect(chat.refusal(of: update(message, String(repeating: "x", count: limit)), as: .user(ann)) == nil)
        var request = update(message, nil)
        request.data = String(repeating: "x", count: FieldLimits.dataBytes + 1)
        #expect(chat.refusal(of: request, as: .user(ann)) == .tooLong)
        request.data = nil
        request.customType = String(repeating: "x", count: FieldLimits.customTypeBytes + 1)
        #expect(chat.refusal(of: request, as: .user(ann)) == .tooLong)
    }

    @Test
    func `MS3: after a change, a retry of the send gets the same answer, and one with the changed content conflicts`()
        throws
    {
        var (chat, message) = try begin()
        try chat.run(update(message, "second"), as: .user(ann))
        try chat.run(update(message, "third"), as: .user(ann))
        var again = SendMessage(channelID: general, text: "hello", clientID: "c1", customType: "note", data: "{}")
        let answer = try chat.run(again, as: .user(ann)).message
        #expect(answer.id == message.id && answer.text == "third" && chat.lastRecords.isEmpty)
        again.text = "third"
        #expect(chat.refusal(of: again, as: .user(ann)) == .clientIDConflict)
    }

    @Test func `CH7 MS7: late joiners learn of changes to hidden messages by id only`() throws {
        var (chat, message) = try begin(visible: false)
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        let reply = try chat.say("reply", by: bob, to: message.id)
        chat.forgetWhatWasHeard()
        try chat.run(update(message, "still secret"), as: .user(ann))
        let event = try #require(chat.heard(by: cat).last?.event)
        #expect(event.type == .messageUpdated && event.messageID == message.id && event.channelID == general)
        #expect(event.message == nil && !"\(event)".contains("secret"))
        #expect(chat.heard(by: bob).last?.event.message?.text == "still secret")
        // A visible reply never quotes the hidden parent.
        try chat.run(update(reply, "new reply"), as: .user(bob))
        let told = try #require(chat.heard(by: cat).last?.event)
        #expect(told.message?.text == "new reply" && !"\(told)".contains("secret"))
        #expect(chat.refusal(of: update(message), as: .user(cat)) == .notFound)
    }

    // MARK: MS8

    @Test func `MS8: a deletion reaches everyone by id, and none of the content remains`() throws {
        var (chat, message) = try begin()
        let tombstone = try chat.run(delete(message), as: .user(ann)).message
        #expect(tombstone.deletedAt == chat.now && tombstone.id == message.id && tombstone.user?.id == ann)
        #expect(
            tombstone.text == nil && tombstone.data == nil && tombstone.customType == nil && tombstone.clientID == nil)
        for user in [ann, bob, eve] {
            let event = try #require(chat.heard(by: user).last?.event)
            #expect(event.type == .messageDeleted && event.messageID == message.id && event.channelID == general)
            #expect(event.parentMessageID == nil && event.message == nil && event.thread == nil && event.by == ann)
        }
        #expect(try chat.texts(for: bob) == [])
        let all = ListMessages(channelID: general, limit: 10, includeDeleted: true)
        #expect(try chat.ask(all, as: .user(bob)).messages == [tombstone])
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.lastMessage == nil)
    }

    @Test func `MS8: get, change, delete, reply and resend of a deleted message are refused as deleted`() throws {
        var (chat, message) = try begin()
        try chat.run(delete(message), as: .user(ann))
        let again = SendMessage(channelID: general, text: "hello", clientID: "c1", customType: "note", data: "{}")
        let other = SendMessage(channelID: general, text: "other", clientID: "c1")
        let reply = SendMessage(channelID: general, text: "reply", parentMessageID: message.id)
        #expect(chat.refusal(of: get(message), as: .user(bob)) == .messageDeleted)
        #expect(chat.refusal(of: update(message), as: .user(ann)) == .messageDeleted)
        #expect(chat.refusal(of: delete(message), as: .server) == .messageDeleted)
        #expect(chat.refusal(of: reply, as: .user(bob)) == .messageDeleted)
        #expect(chat.refusal(of: again, as: .user(ann)) == .messageDeleted)
        #expect(chat.refusal(of: other, as: .user(ann)) == .messageDeleted)
        let replies = ListReplies(channelID: general, parentMessageID: message.id)
        #expect(chat.refusal(of: replies, as: .user(bob)) == .messageDeleted)
    }

    @Test func `MS8: users can delete their own messages; operators and the server can delete any`() throws {
        var (chat, message) = try begin()
        #expect(chat.refusal(of: delete(message), as: .user(bob)) == .notTheAuthor)
        #expect(chat.refusal(of: delete(message), as: .user(cat)) == .notAMember)
        #expect(chat.refusal(of: delete(message), as: .user(eve)) == nil)
        let other = try chat.say("other")
        #expect(chat.refusal(of: delete(other), as: .server) == nil)
        #expect(chat.heard(by: bob).last?.event.by == nil)
    }

    @Test func `MS8: a parent can be deleted only after its replies, and each deletion updates the thread`() throws {
        var (chat, message) = try begin()
        let first = try chat.say("first", by: bob, to: message.id)
        let second = try chat.say("second", by: eve, to: message.id)
        #expect(chat.refusal(of: delete(message), as: .user(ann)) == .parentHasReplies)
        #expect(chat.refusal(of: delete(message), as: .server) == .parentHasReplies)
        try chat.run(delete(second), as: .user(eve))
        var event = try #require(chat.heard(by: ann).last?.event)
        #expect(event.messageID == second.id && event.parentMessageID == message.id)
        #expect(event.thread?.replyCount == 1 && event.thread?.mostRepliedUsers?.map(\.id) == [bob])
        #expect(event.thread?.lastReplyAt == first.createdAt)
        try chat.run(delete(first), as: .user(bob))
        event = try #require(chat.heard(by: ann).last?.event)
        #expect(event.thread?.replyCount == 0 && event.thread?.mostRepliedUsers == [])
        #expect(event.thread?.lastReplyAt == nil)
        #expect(try chat.ask(get(message), as: .user(ann)).message.thread == nil, "as before the first reply")
        #expect(chat.refusal(of: delete(message), as: .user(ann)) == nil)
    }

    @Test func `CH7 MS8: users who cannot see the parent do not get its thread; late joiners get only ids`() throws {
        var (chat, message) = try begin(visible: false)
        let hidden = try chat.say("hidden reply", by: bob, to: message.id)
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        let seen = try chat.say("seen reply", by: bob, to: message.id)
        for reply in [hidden, seen] {
            try chat.run(delete(reply), as: .user(bob))
            let event = try #require(chat.heard(by: cat).last?.event)
            #expect(event.messageID == reply.id && event.parentMessageID == message.id && event.message == nil)
            #expect(event.thread == MessageThread(channelID: general, parentMessageID: message.id))
            #expect(chat.heard(by: ann).last?.event.thread?.replyCount != nil)
        }
        #expect(chat.refusal(of: delete(message), as: .user(cat)) == .notFound)
    }

    @Test
    func `MS5 MS8: paging continues across messages deleted meanwhile, and a deleted anchor still works`() throws {
        var (chat, parent) = try begin()
        let messages = try (0..<10).map { try chat.say("m\($0)", by: bob) }
        let replies = try (0..<4).map { try chat.say("r\($0)", to: parent.id, alsoInChannel: false) }
        var query = ListMessages(channelID: general, limit: 3)
        let page = try chat.ask(query, as: .user(ann))
        #expect(page.messages.compactMap(\.text) == ["m7", "m8", "m9"])
        for number in [6, 7, 5] { try chat.run(delete(messages[number]), as: .user(bob)) }
        query.next = page.next.map(SizeOrToken.token)
        #expect(try chat.ask(query, as: .user(ann)).messages.compactMap(\.text) == ["m2", "m3", "m4"])
        query.includeDeleted = true
        #expect(chat.refusal(of: query, as: .user(ann)) == .badRequest, "the token belongs to other filters")
        let around = ListMessages(channelID: general, messageID: messages[6].id, previous: 1, next: 1)
        #expect(try chat.ask(around, as: .user(ann)).messages.compactMap(\.text) == ["m4", "m8"])
        try chat.run(delete(replies[1]), as: .user(ann))
        let beside = ListReplies(
            channelID: general, parentMessageID: parent.id, messageID: replies[1].id, previous: 1, next: 1)
        #expect(try chat.ask(beside, as: .user(ann)).replies.compactMap(\.text) == ["r0", "r2"])
    }
}
