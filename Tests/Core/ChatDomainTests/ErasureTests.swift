import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Covers `PR1` without engine and disk.
@Suite struct ErasureTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>, [false, true])
    func `PR1: nothing of a deleted user is left in the state, and all of the others' is`(
        seed: UInt64, deletesMessages: Bool
    ) throws {
        var chat = Chat(friends, seed: seed)
        try chat.live(seed: seed)
        #expect(chat.snapshotText.contains(zoe.rawValue))
        let before = chat
        try chat.erase(deletingMessages: deletesMessages)
        #expect(!chat.snapshotText.contains(zoe.rawValue), "seed \(seed)")
        #expect(!chat.seen().joined().contains(zoe.rawValue), "seed \(seed)")
        // The indexes of the living state say what those of a loaded and of a replayed one do.
        var copy = chat
        copy.replace(try chat.copied())
        #expect(copy.seen() == chat.seen(), "seed \(seed)")
        copy.replace(chat.replayed)
        #expect(copy.seen() == chat.seen() && copy.snapshotText == chat.snapshotText, "seed \(seed)")
        try compareMessages(chat, before, deletesMessages, seed)
    }

    private func compareMessages(_ chat: Chat, _ before: Chat, _ deletesMessages: Bool, _ seed: UInt64) throws {
        for place in places {
            let old = try #require(before.state.channels[place]?.messages)
            let new = try #require(chat.state.channels[place]?.messages)
            #expect(old.indices == new.indices)
            for (old, new) in zip(old, new) {
                #expect(old.id == new.id && old.offset == new.offset && old.parent == new.parent)
                guard old.sender == zoe else {
                    #expect(old.sender == new.sender && old.isDeleted == new.isDeleted && old.body == new.body)
                    continue
                }
                #expect(new.sender?.isDeleted == true && new.clientID == nil)
                #expect(
                    new.isDeleted == (old.isDeleted || deletesMessages) && new.text == (new.isDeleted ? "" : old.text))
            }
        }
    }

    @Test func `PR1: messages stay under an alias that all of them share and nobody can use`() throws {
        var chat = Chat(friends)
        try chat.create(with: [bob, zoe])
        let first = try chat.say("first", by: zoe)
        let reply = try chat.say("reply", by: bob, to: first.id)
        let other = try chat.run(
            SendMessage(channelID: general, text: "other", clientID: "c", mentionedUserIDs: [zoe]), as: .user(ann)
        ).message
        let user = try chat.run(DeleteUser(userID: zoe), as: .server).user
        #expect(user.id.isDeleted && user.isDeleted == true && user.nickname == "")
        // At once, before any turn.
        #expect(chat.refusal(of: GetUser(userID: zoe), as: .server) == .notFound)
        chat.finishErasures()
        let list = ListMessages(channelID: general, limit: 10, replies: .all, includeThread: true, includeParent: true)
        let messages = try chat.ask(list, as: .user(bob)).messages
        #expect(messages.map(\.user?.id) == [user.id, bob, ann] && messages.first?.user == user)
        #expect(messages.map(\.text) == ["first", "reply", "other"])
        #expect(messages[1].parent?.user == user && messages[1].id == reply.id)
        #expect(messages[2].mentionedUserIDs == [user.id] && messages[2].id == other.id)
        #expect(messages[0].thread?.replyCount == 1)
        for id in [user.id, UserID.deleted(7)] {
            #expect(chat.refusal(of: UpsertUser(id: id), as: .server) == .invalidValue)
            #expect(chat.refusal(of: GetUser(), as: .user(id)) == .unauthorized)
            #expect(chat.refusal(of: DeleteUser(userID: id), as: .server) == .notFound)
        }
        // An edit repeats what it has read.
        let edit = UpdateMessage(channelID: general, messageID: other.id, mentionedUserIDs: [user.id, bob])
        #expect(try chat.run(edit, as: .user(ann)).message.mentionedUserIDs == [bob])
        let found = try chat.ask(SearchMessages(query: "first", userIDs: [user.id]), as: .user(bob)).messages
        #expect(found.map(\.user?.id) == [user.id])
    }

    @Test func `PR1: with their messages, a user's texts and files go, and counts stay true`() throws {
        var chat = Chat(friends)
        try chat.create(with: [bob, zoe])
        let photo = try #require(try chat.upload(by: zoe).file.id)
        let parent = try chat.run(
            SendMessage(channelID: general, kind: .file, files: [FileReference(id: photo)]), as: .user(zoe)
        ).message
        let draft = try #require(try chat.upload(FileID(high: 9, low: 9), by: zoe).file.id)
        let reply = try chat.say("reply", by: bob, to: parent.id)
        let other = try chat.say("thread", by: ann)
        try chat.say("in a thread", by: zoe, to: other.id)
        try chat.say("in a thread", by: bob, to: other.id)
        #expect(try chat.ask(GetUnreadCounts(), as: .user(bob)).unread.unreadCount == 3)
        chat.forgetWhatWasHeard()
        var removed: [FileID] = []
        try chat.run(DeleteUser(userID: zoe, deleteMessages: true), as: .server)
        chat.finishErasures()
        for effect in chat.lastEffects { if case .filesRemoved(let files) = effect { removed += files } }
        #expect(removed.sorted() == [photo, draft].sorted() && chat.state.fileIDs.isEmpty)
        #expect(chat.heard(by: bob, in: .channel(general)).filter { $0 == .messageDeleted }.count == 2)
        #expect(try chat.texts(for: ann) == ["reply", "thread", "in a thread"])
        #expect(try chat.ask(GetUnreadCounts(), as: .user(bob)).unread.unreadCount == 1)
        let thread = try chat.ask(GetThread(channelID: general, parentMessageID: other.id), as: .user(ann)).thread
        #expect(thread.replyCount == 1 && thread.mostRepliedUsers?.map(\.id) == [bob])
        // As when a message ends: the replies stay, and quote nothing.
        let replies = try chat.ask(
            ListMessages(channelID: general, limit: 10, replies: .all, includeParent: true), as: .user(ann)
        ).messages
        #expect(replies.first { $0.id == reply.id }?.parent?.state == .notFound)
    }

    @Test func `PR1: without their messages, a user's files stay and belong to the alias`() throws {
        var chat = Chat(friends)
        try chat.create(with: [bob, zoe])
        let photo = try #require(try chat.upload(by: zoe).file.id)
        try chat.run(SendMessage(channelID: general, kind: .file, files: [FileReference(id: photo)]), as: .user(zoe))
        try chat.erase()
        let file = try chat.ask(GetFile(id: photo), as: .user(bob))
        #expect(file.owner.isDeleted && chat.state.files.bytes(of: zoe) == 0)
        #expect(chat.state.files.bytes(of: file.owner) == file.size)
    }

    @Test func `PR1: others hear that the user is deleted and leaves, and the user's connections are closed`() throws {
        var chat = Chat(friends)
        try chat.create(with: [bob, zoe])
        try chat.run(UpsertUser(id: zoe, nickname: "zoes-name", metadata: ["k": "zoes-metadata"]), as: .server)
        chat.connect(zoe)
        chat.forgetWhatWasHeard()
        try chat.run(DeleteUser(userID: zoe), as: .server)
        #expect(!chat.snapshotText.contains("zoes-"), "at once")
        #expect(chat.heard(by: bob, in: .channel(general)) == [.userUpdated])
        let user = try #require(chat.heard(by: bob).first?.event.user)
        #expect(user.id == zoe && user.isDeleted == true && user.isActive == false && user.nickname == "")
        #expect(chat.heard(by: zoe).isEmpty)
        let closes = chat.lastEffects.contains { if case .disconnected(zoe) = $0 { true } else { false } }
        #expect(closes)
        chat.finishErasures()
        #expect(chat.heard(by: bob, in: .channel(general)) == [.userUpdated, .memberLeft])
        chat.disconnect(zoe)
        try chat.run(UpsertUser(id: zoe), as: .server)
        #expect(try chat.ask(GetUser(userID: zoe), as: .server).user.lastSeenAt == nil)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.memberCount == 2)
    }

    @Test func `PR1: a user who is unknown, deleted or being deleted is refused`() throws {
        var chat = Chat(friends)
        #expect(chat.refusal(of: DeleteUser(userID: "nobody"), as: .server) == .notFound)
        try chat.run(DeleteUser(userID: zoe), as: .server)
        let again = chat.rejection(of: DeleteUser(userID: zoe), as: .server)
        #expect(again?.code == .tooManyRequests && again?.retryAfterMilliseconds == 1_000)
        #expect(chat.refusal(of: UpsertUser(id: zoe, nickname: "Zoe"), as: .server) == .tooManyRequests)
        #expect(chat.refusal(of: UpsertUsers(users: [UpsertUser(id: zoe)]), as: .server) == .tooManyRequests)
        #expect(chat.refusal(of: GetUser(), as: .user(zoe)) == .tooManyRequests)
        #expect(chat.refusal(of: ActivateUser(userID: zoe), as: .server) == .notFound)
        #expect(try chat.ask(ListUsers(userIDs: [zoe, ann]), as: .server).users.map(\.id) == [ann])
        #expect(try !chat.ask(ListAllUsers(), as: .server).users.contains { $0.isDeleted == true })
        chat.finishErasures()
        #expect(chat.refusal(of: DeleteUser(userID: zoe), as: .server) == .notFound)
    }

    @Test func `PR1: a later user with the same id is another one, and tokens from before are refused`() throws {
        var chat = Chat(friends)
        try chat.run(UpsertUser(id: zoe, nickname: "Zoe", metadata: ["k": "v"]), as: .server)
        try chat.run(RegisterDevice(provider: .apns, token: "t"), as: .user(zoe))
        try chat.create(with: [bob, zoe])
        let old = try chat.say("old", by: zoe)
        let parent = try chat.say("parent", by: bob)
        try chat.say("reply", by: zoe, to: parent.id, alsoInChannel: false)
        try chat.asksBeforeJoining(cat)
        _ = try chat.invite([cat], by: zoe)
        let deletion = chat.now / 1_000
        try chat.erase()
        for state in [chat.state, chat.replayed, try chat.copied()] {
            #expect(state.tokensRevokedBefore(zoe) == deletion + 1 && state.tokensRevokedBefore(ann) == 0)
        }
        let new = try chat.run(UpsertUser(id: zoe), as: .server).user
        #expect(new.nickname == zoe.rawValue && new.metadata == nil && new.isDeleted == nil)
        #expect(chat.state.tokensRevokedBefore(zoe) == deletion + 1)
        #expect(try chat.ask(ListChannels(limit: 10), as: .user(zoe)).channels.isEmpty)
        #expect(chat.state.users[cat]?.invitations(by: zoe) == 0 && chat.state.users[cat]?.invitations.count == 1)
        try chat.run(InviteToChannel(channelID: general, userIDs: [zoe]), as: .user(ann))
        // What the old user wrote is unread for the new one, and its threads are not the new one's.
        try chat.run(MarkUnread(channelID: general, messageID: old.id), as: .user(zoe))
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(zoe)).channel.my?.unreadCount == 2)
        #expect(try chat.ask(ListThreads(), as: .user(zoe)).threads.isEmpty)
        #expect(
            chat.refusal(of: UpdateMessage(channelID: general, messageID: old.id, text: "x"), as: .user(zoe))
                == .notTheAuthor)
        try chat.say("new", by: zoe)
        chat.pass(seconds: 10)
        try chat.erase()
        #expect(chat.state.tokensRevokedBefore(zoe) > deletion + 10)
        let authors = try chat.ask(ListMessages(channelID: general, limit: 10), as: .user(ann)).messages.map(\.user?.id)
        #expect(Set(authors).count == 3 && authors.count { $0?.isDeleted == true } == 2)
        #expect(chat.state.erasedUsers.count == 2)
    }

    @Test func `PR1: the search index hears of the alias as the sender of what stays`() throws {
        var chat = Chat(friends)
        try chat.create(with: [zoe])
        let message = try chat.say("words", by: zoe)
        try chat.erase()
        let state = ChatState()
        var changes: [SearchChange] = []
        for record in chat.records {
            state.addSearchChanges(of: record, to: &changes)
            state.evolve(record)
        }
        guard case .put(_, message.offset, let entry) = changes.last else {
            Issue.record("\(changes)")
            return
        }
        #expect(entry.sender == chat.state.erasedUsers.first?.alias && entry.text == "words")
    }

    @Test func `PR1: a guest is deleted like any other user`() throws {
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        var chat = Chat(friends, settings: settings)
        let guest = UserID.guest(1, 2)
        try chat.run(AdmitGuest(id: guest, nickname: "Gus"), as: .server)
        try chat.create(isPublic: true)
        try chat.run(JoinChannel(channelID: general), as: .user(guest))
        try chat.say("hi", by: guest)
        try chat.erase(guest)
        #expect(chat.state.guestCount == 0 && !chat.snapshotText.contains(guest.rawValue))
        #expect(chat.refusal(of: GetUser(), as: .user(guest)) == .unauthorized)
    }
}
