import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// Covers `CH5`.
@Suite struct EphemeralTests {
    private let id = MessageID(high: 1, low: 1)

    /// Returns a chat in which ann and bob talk; dan was a member and has left.
    private func begin() throws -> Chat {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.run(CreateChannel(id: general, userIDs: [bob, cat, dan], isEphemeral: true), as: .user(ann))
        try chat.run(LeaveChannel(channelID: general), as: .user(dan))
        chat.forgetWhatWasHeard()
        return chat
    }

    @Test func `CH5: a message reaches present members, has no offset and is not stored`() throws {
        var chat = try begin()
        let standing = chat.state.standings(of: ann)
        let send = SendMessage(channelID: general, text: "psst", clientID: "a1", customType: "t", data: "{}")
        let sent = try chat.run(send, as: .user(ann)).message
        #expect((sent.text, sent.offset, sent.clientID, sent.createdAt) == ("psst", 0, "a1", chat.now))
        #expect((sent.customType, sent.data, sent.user?.id) == ("t", "{}", ann))
        #expect(chat.lastRecords.isEmpty)
        for user in [ann, bob] {
            let heard = try #require(chat.heard(by: user).last)
            #expect(heard.event == TypedEvent(type: .messageNew, at: chat.now, by: ann, message: sent))
            #expect((heard.room, heard.offset) == (.channel(general), 0))
        }
        #expect(chat.heard(by: cat).isEmpty && chat.heard(by: dan).isEmpty)
        #expect(chat.state.standings(of: ann) == standing)
        for caller in [.user(ann), .server] as [Caller] {
            let list = try chat.ask(ListMessages(channelID: general, replies: .all, includeDeleted: true), as: caller)
            #expect(list.messages.isEmpty && !list.hasPrevious && !list.hasNext)
            #expect(chat.refusal(of: GetMessage(channelID: general, messageID: sent.id), as: caller) == .notFound)
        }
        let channel = try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel
        #expect(channel.isEphemeral && channel.lastMessage == nil)
    }

    @Test func `CH5: a client id is not remembered`() throws {
        var chat = try begin()
        let first = try chat.run(SendMessage(channelID: general, text: "a", clientID: "a1"), as: .user(ann)).message
        let second = try chat.run(SendMessage(channelID: general, text: "b", clientID: "a1"), as: .user(ann)).message
        #expect(first.id != second.id && second.text == "b")
        #expect(chat.heard(by: bob).map(\.event.message?.text) == ["a", "b"])
    }

    @Test func `CH5: commands that need a stored message are refused with 1025`() throws {
        var chat = try begin()
        let refusals = [
            chat.refusal(of: SendMessage(channelID: general, text: "x", parentMessageID: id), as: .user(ann)),
            chat.refusal(of: UpdateMessage(channelID: general, messageID: id, text: "x"), as: .user(ann)),
            chat.refusal(of: DeleteMessage(channelID: general, messageID: id), as: .server),
            chat.refusal(of: AddReaction(channelID: general, messageID: id, key: "sob"), as: .user(ann)),
            chat.refusal(of: RemoveReaction(channelID: general, messageID: id, key: "sob"), as: .user(ann)),
        ]
        #expect(refusals == Array(repeating: .ephemeralChannel, count: 5))
    }

    @Test func `CH5 MS9: users can be silenced in ephemeral channels as in any other`() throws {
        var chat = try begin()
        let send = SendMessage(channelID: general, text: "x")
        #expect(chat.refusal(of: send, as: .user(cat)) == .invitedNotMember)
        #expect(chat.refusal(of: send, as: .user(dan)) == .notFound)
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        #expect(chat.refusal(of: send, as: .user(bob)) == .muted)
        try chat.run(FreezeChannel(channelID: general), as: .server)
        #expect(chat.refusal(of: send, as: .user(ann)) == .channelFrozen)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: ""), as: .server) == .invalidValue)
        #expect(try chat.run(send, as: .server).message.kind == .admin)
    }

    @Test func `CH5 CH11: a message unhides a hidden channel`() throws {
        var chat = try begin()
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        chat.forgetWhatWasHeard()
        #expect(try chat.say("psst").text == "psst")
        #expect(chat.heard(by: bob).map(\.event.type) == [.messageNew, .channelUnhidden])
    }

    @Test func `CH5: a channel cannot change to or from ephemeral`() throws {
        var chat = Chat()
        for isEphemeral in [true, false] {
            let id: ChannelID = isEphemeral ? "whisper" : "hall"
            let create = CreateChannel(
                id: id, operatorUserIDs: [ann], isSuper: isEphemeral, isEphemeral: isEphemeral)
            #expect(try chat.run(create, as: .user(ann)).channel.isEphemeral == isEphemeral)
            let change = UpdateChannel(channelID: id, name: "x", isEphemeral: !isEphemeral)
            #expect(chat.refusal(of: change, as: .user(ann)) == .invalidValue)
            try chat.run(UpdateChannel(channelID: id, name: "y", isEphemeral: isEphemeral), as: .user(ann))
        }
        let distinct = CreateChannel(userIDs: [bob], isDistinct: true, isEphemeral: true)
        #expect(try chat.run(distinct, as: .user(ann)).channel.isEphemeral)
        #expect(try !chat.run(distinct, as: .user(ann)).created)
    }
}
