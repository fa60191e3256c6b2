import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// Covers `R2`–`R4`.
@Suite struct ReactionTests {
    private func begin(visible: Bool = true, isSuper: Bool = false) throws -> (chat: Chat, message: Message) {
        var chat = Chat()
        chat.settings.historyVisibleToNewcomers = visible
        try chat.run(
            CreateChannel(id: general, userIDs: [bob, dan], isPublic: true, isSuper: isSuper), as: .user(ann))
        let message = try chat.say("hello")
        chat.forgetWhatWasHeard()
        return (chat, message)
    }

    private func add(_ message: Message, _ key: String = "sob") -> AddReaction {
        AddReaction(channelID: general, messageID: message.id, key: key)
    }

    private func remove(_ message: Message, _ key: String = "sob") -> RemoveReaction {
        RemoveReaction(channelID: general, messageID: message.id, key: key)
    }

    private func reactions(_ chat: inout Chat, on message: Message, for user: UserID) throws -> [Reaction]? {
        try chat.ask(GetMessage(channelID: general, messageID: message.id), as: .user(user)).message.reactions
    }

    @Test func `R2: adding and removing a reaction reaches everyone including the user who reacted`() throws {
        var (chat, message) = try begin()
        let given = try chat.run(add(message), as: .user(bob)).reaction
        #expect(
            given
                == ReactionChange(
                    messageID: message.id, key: "sob", operation: .add, userID: bob, count: 1, updatedAt: chat.now))
        let taken = try chat.run(remove(message), as: .user(bob)).reaction
        #expect(
            taken
                == ReactionChange(
                    messageID: message.id, key: "sob", operation: .remove, userID: bob, count: 0, updatedAt: chat.now))
        for user in [ann, bob, dan] {
            let events = chat.heard(by: user).map(\.event)
            #expect(events.map(\.type) == [.reactionUpdated, .reactionUpdated])
            #expect(events.map(\.reaction) == [given, taken])
            #expect(events.allSatisfy { $0.channelID == general && $0.by == bob })
        }
        #expect(chat.heard(by: cat).isEmpty)
        #expect(try reactions(&chat, on: message, for: ann) == nil)
    }

    @Test
    func `R2: repeating a reaction or removing an absent one returns the current state and notifies nobody`() throws {
        var (chat, message) = try begin()
        let nothing = try chat.run(remove(message), as: .user(bob)).reaction
        #expect(nothing.count == 0 && nothing.updatedAt == nil && nothing.operation == .remove)
        #expect(chat.lastRecords.isEmpty)
        let given = try chat.run(add(message), as: .user(bob)).reaction
        #expect(try chat.run(add(message), as: .user(bob)).reaction == given)
        #expect(chat.lastRecords.isEmpty)
        try chat.run(add(message), as: .user(ann))
        #expect(try chat.run(add(message), as: .user(bob)).reaction.count == 2)
        #expect(chat.heard(by: ann).count == 2)
    }

    @Test
    func `R3: for each key, a message lists the first to react, the total, and whether the reader reacted`() throws {
        let people = (0..<12).map { UserID(stringLiteral: "user\($0)") }
        var chat = Chat(people)
        try chat.create(by: people[0], with: Array(people.dropFirst()))
        let message = try chat.say("hello", by: people[0])
        for user in people.reversed() { try chat.run(add(message, "rage"), as: .user(user)) }
        let last = chat.now
        try chat.run(add(message), as: .user(people[3]))
        let seen = try #require(try reactions(&chat, on: message, for: people[0]))
        #expect(
            seen == [
                Reaction(
                    key: "rage", count: 12, userIDs: Array(people.reversed().prefix(10)), mine: true, updatedAt: last),
                Reaction(key: "sob", count: 1, userIDs: [people[3]], mine: false, updatedAt: chat.now),
            ])
        chat.settings.reactionUsersShown = 2
        #expect(try reactions(&chat, on: message, for: people[3])?.map(\.userIDs.count) == [2, 1])
        #expect(try reactions(&chat, on: message, for: people[3])?.map(\.mine) == [true, true])
        // Lists include reactions on request, threads always.
        var list = ListMessages(channelID: general)
        #expect(try chat.ask(list, as: .user(people[0])).messages.first?.reactions == nil)
        list.includeReactions = true
        #expect(try chat.ask(list, as: .user(people[0])).messages.first?.reactions?.map(\.count) == [12, 1])
        let replies = ListReplies(channelID: general, parentMessageID: message.id)
        #expect(try chat.ask(replies, as: .user(people[0])).parent.reactions?.count == 2)
        // A user who reacts again comes last, and so does a key that is used again.
        try chat.run(remove(message, "rage"), as: .user(people[11]))
        try chat.run(add(message, "rage"), as: .user(people[11]))
        #expect(try reactions(&chat, on: message, for: people[0])?.first?.userIDs == [people[10], people[9]])
    }

    @Test func `R3: the users of a key are paged, and pages are stable while others react and unreact`() throws {
        let people = (0..<9).map { UserID(stringLiteral: "user\($0)") }
        var chat = Chat(people)
        try chat.create(by: people[0], with: Array(people.dropFirst()))
        let message = try chat.say("hello", by: people[0])
        for user in people.prefix(7) { try chat.run(add(message), as: .user(user)) }
        var query = ListReactionUsers(channelID: general, messageID: message.id, key: "sob", limit: 3)
        let first = try chat.ask(query, as: .user(people[0]))
        #expect(first.users.map(\.id) == Array(people[0..<3]))
        try chat.run(remove(message), as: .user(people[1]))
        try chat.run(remove(message), as: .user(people[3]))
        try chat.run(add(message), as: .user(people[8]))
        query.next = first.next
        let second = try chat.ask(query, as: .user(people[0]))
        #expect(second.users.map(\.id) == [people[4], people[5], people[6]])
        query.next = second.next
        let third = try chat.ask(query, as: .user(people[0]))
        #expect(third.users.map(\.id) == [people[8]] && third.next == nil)
        query.key = "rage"
        #expect(chat.refusal(of: query, as: .user(people[0])) == .badRequest, "the token is another key's")
        query.next = nil
        #expect(try chat.ask(query, as: .user(people[0])).users == [])
        query.key = "unheard_of"
        #expect(chat.refusal(of: query, as: .user(people[0])) == .unknownEmoji)
        query.limit = 101
        #expect(chat.refusal(of: query, as: .user(people[0])) == .invalidValue)
        query.limit = 0
        #expect(chat.refusal(of: query, as: .user(people[0])) == .invalidValue)
    }

    @Test func `R1 R4: unknown keys, admin messages, deleted messages and strangers are refused`() throws {
        var (chat, message) = try begin()
        #expect(chat.refusal(of: add(message, "unheard_of"), as: .user(bob)) == .unknownEmoji)
        #expect(chat.refusal(of: add(message, ""), as: .user(bob)) == .unknownEmoji)
        #expect(chat.refusal(of: remove(message, "unheard_of"), as: .user(bob)) == .unknownEmoji)
        #expect(chat.refusal(of: add(message), as: .user(cat)) == .notAMember)
        let notice = try chat.run(SendMessage(channelID: general, text: "notice"), as: .server).message
        #expect(chat.refusal(of: add(notice), as: .user(bob)) == .wrongMessageKind)
        let nowhere = AddReaction(channelID: general, messageID: MessageID(high: 9, low: 9), key: "sob")
        #expect(chat.refusal(of: nowhere, as: .user(bob)) == .notFound)
        try chat.run(add(message), as: .user(bob))
        try chat.run(DeleteMessage(channelID: general, messageID: message.id), as: .user(ann))
        #expect(chat.refusal(of: add(message), as: .user(bob)) == .messageDeleted)
        #expect(chat.refusal(of: remove(message), as: .user(bob)) == .messageDeleted)
        let all = ListMessages(channelID: general, limit: 10, includeReactions: true, includeDeleted: true)
        #expect(try chat.ask(all, as: .user(bob)).messages.first?.reactions == nil, "a tombstone has none")
    }

    @Test func `R4: a setting disables reactions everywhere or in super channels`() throws {
        for isSuper in [false, true] {
            var (chat, message) = try begin(isSuper: isSuper)
            chat.settings.reactionsInSuperChannels = false
            #expect(chat.refusal(of: add(message), as: .user(bob)) == (isSuper ? .featureDisabled : nil))
            chat.settings.reactionsInSuperChannels = true
            #expect(chat.refusal(of: add(message), as: .user(ann)) == nil)
            chat.settings.reactions = false
            #expect(chat.refusal(of: add(message), as: .user(dan)) == .featureDisabled)
            #expect(chat.refusal(of: remove(message), as: .user(ann)) == .featureDisabled)
        }
    }

    @Test func `CH7 R2: late joiners see only the message id of a reaction to a hidden message`() throws {
        var (chat, message) = try begin(visible: false)
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        try chat.run(add(message), as: .user(bob))
        let event = try #require(chat.heard(by: cat).last?.event)
        #expect(event.type == .reactionUpdated && event.reaction == ReactionChange(messageID: message.id))
        #expect(chat.heard(by: ann).last?.event.reaction?.count == 1)
        #expect(chat.refusal(of: add(message), as: .user(cat)) == .notFound)
        let list = ListReactionUsers(channelID: general, messageID: message.id, key: "sob")
        #expect(chat.refusal(of: list, as: .user(cat)) == .notFound)
    }
}
