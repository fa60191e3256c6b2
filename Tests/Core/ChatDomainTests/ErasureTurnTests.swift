import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// How an erasure divides its work (`PR1`).
@Suite struct ErasureTurnTests: ImportScene {
    @Test(arguments: [false, true])
    func `PR1: a user with many messages and channels is erased in small turns`(deletesMessages: Bool) throws {
        var chat = Chat(friends)
        for number in 0..<30 {
            let id = try #require(ChannelID("channel-\(number)"))
            try chat.create(id, with: [zoe])
            for _ in 0..<40 { try chat.say("x", by: zoe, in: id) }
        }
        for _ in 0..<5_000 { try chat.say("x", by: bob, in: try bigChannel(&chat)) }
        try chat.say("last", by: zoe, in: "big")
        try chat.run(DeleteUser(userID: zoe, deleteMessages: deletesMessages), as: .server)
        var scan = ErasureScan(of: zoe, in: chat.state)
        var turns = 0
        var channels: [ChannelID] = []
        while true {
            let turn = scan.turn(in: chat.state)
            #expect(turn.events.count <= ErasureScan.eventsPerTurn + 10)
            for case .userReplaced(let replaced) in turn.events where channels.last != replaced.channel {
                channels.append(replaced.channel)
            }
            chat.apply(turn.events)
            turns += 1
            // Another node decides from now on.
            if turns == 1, !turn.isOver { scan = ErasureScan(of: zoe, in: try restarted(&chat)) }
            if turn.isOver { break }
        }
        #expect(turns >= (deletesMessages ? 5 : 1) && turns < 40)
        #expect(Set(channels).count == 31, "every channel, the untouched ones excepted")
        #expect(!chat.snapshotText.contains(zoe.rawValue))
    }

    private func bigChannel(_ chat: inout Chat) throws -> ChannelID {
        let id: ChannelID = "big"
        if chat.state.channels[id] == nil {
            try chat.create(id, by: bob, with: [zoe])
            try chat.create("untouched", by: bob, with: [ann])
            try chat.say("first", by: zoe, in: id)
        }
        return id
    }

    private func restarted(_ chat: inout Chat) throws -> ChatState {
        try chat.restart()
        return chat.state
    }

    @Test func `PR1: an erasure goes on after a restart in the middle`() throws {
        var chat = Chat(friends, seed: 3)
        try chat.live(seed: 3)
        try chat.run(DeleteUser(userID: zoe), as: .server)
        try chat.restart()
        #expect(chat.state.usersBeingErased == [zoe] && chat.state.isErasing)
        #expect(chat.refusal(of: GetUser(), as: .user(zoe)) == .tooManyRequests)
        chat.finishErasures()
        #expect(!chat.state.isErasing && !chat.snapshotText.contains(zoe.rawValue))
    }

    @Test func `PR1: a user is erased from channels that an import still hides`() throws {
        for deletesMessages in [false, true] {
            var chat = try chat([ann, bob, cat, zoe])
            let lines = [
                channel { $0.createdBy = zoe }, member(zoe, .operator), member(ann), message("1", by: zoe),
                message("2", by: ann, at: 1, to: "1"), reaction("sob", to: "2", by: zoe), sanction("mute", zoe),
            ]
            try add(lines, at: 1, to: &chat)
            try chat.erase(deletingMessages: deletesMessages)
            #expect(!chat.snapshotText.contains(zoe.rawValue))
            #expect(refusal(of: [message("3", by: zoe, at: 2)], at: 8, in: &chat)?.code == .notFound)
            try chat.run(Self.finish, as: .server)
            let messages = try chat.ask(
                ListMessages(channelID: "old", limit: 10, replies: .all, includeReactions: true), as: .user(ann)
            ).messages
            #expect(messages.map(\.text) == (deletesMessages ? ["text 2"] : ["text 1", "text 2"]))
            #expect(messages.last?.reactions == nil)
            #expect(try chat.ask(GetChannel(channelID: "old"), as: .user(ann)).channel.memberCount == 1)
            #expect(!chat.snapshotText.contains(zoe.rawValue))
        }
    }

    @Test func `PR1: client ids that retention keeps for a while go too`() throws {
        var chat = Chat(friends)
        try chat.create(with: [zoe])
        try chat.run(SendMessage(channelID: general, text: "a", clientID: "zoes-client-id"), as: .user(zoe))
        try chat.say("last")
        try chat.run(SetRetention(channelID: general, maxMessages: 1), as: .server)
        #expect(chat.pass(seconds: 1) == 1 && chat.snapshotText.contains("zoes-client-id"))
        try chat.erase()
        #expect(!chat.snapshotText.contains("zoe"))
    }

    @Test func `PR1: a chat restored from an older backup is told which users to erase`() throws {
        var chat = Chat(friends)
        try chat.create(with: [zoe])
        try chat.say("old", by: zoe)
        let backup = try chat.copied()
        try chat.erase(deletingMessages: true)
        let known = chat.state.erasedUsers
        #expect(known.map(\.deletesMessages) == [true] && chat.state.repeating(known).isEmpty)
        var restored = chat
        restored.replace(backup)
        let never: UserID = "never"
        let unknown = ErasedUser(key: never.erasureKey, alias: .deleted(5), before: 9, deletesMessages: false)
        let events = restored.state.repeating(known + [unknown])
        #expect(events.count == 2)
        restored.apply(events)
        restored.finishErasures()
        #expect(!restored.snapshotText.contains(zoe.rawValue) && restored.state.erasedUsers.count == 2)
        #expect(try restored.texts(for: ann).isEmpty)
        #expect(restored.state.tokensRevokedBefore(zoe) == known.first?.before)
        #expect(restored.state.tokensRevokedBefore(never) == 9)
        // A later user with the same id is not erased again.
        try restored.run(UpsertUser(id: zoe), as: .server)
        #expect(restored.state.repeating(known).isEmpty)
    }

    @Test func `PR1: while a user is being erased, nothing new names them`() throws {
        var chat = Chat(friends)
        try chat.create(with: [bob, zoe])
        try chat.run(DeleteUser(userID: zoe), as: .server)
        let mention = SendMessage(channelID: general, text: "hi", mentionedUserIDs: [zoe])
        #expect(chat.refusal(of: mention, as: .user(ann)) == .notFound)
        #expect(chat.refusal(of: MuteMember(channelID: general, userID: zoe), as: .server) == .notFound)
        #expect(chat.refusal(of: BanMember(channelID: general, userID: zoe), as: .server) == .notFound)
        #expect(chat.refusal(of: CreateReport(category: .spam, userID: zoe), as: .user(ann)) == .notFound)
        try chat.create("c1")
        try chat.run(AddMembers(channelID: "c1", userIDs: [zoe]), as: .server)
        #expect(chat.refusal(of: CreateChannel(userIDs: [zoe]), as: .user(ann)) != nil)
        _ = try chat.invite([zoe], to: "c1")
        #expect(try chat.ask(GetChannel(channelID: "c1"), as: .user(ann)).channel.memberCount == 1)
        chat.finishErasures()
        #expect(!chat.snapshotText.contains(zoe.rawValue))
    }
}
