import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// Covers `T6`–`T8`.
@Suite struct ThreadReadingTests {
    private func thread(_ chat: inout Chat, _ parent: Message, _ user: UserID) throws -> MessageThread {
        try chat.ask(GetThread(channelID: general, parentMessageID: parent.id), as: .user(user)).thread
    }

    @Test func `T8: a thread and its channel are marked read separately`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        let replies = try (1...3).map { try chat.say("\($0)", by: bob, to: parent.id) }
        #expect(try thread(&chat, parent, ann).unreadCount == 3)
        try chat.run(MarkRead(channelID: general), as: .user(ann))
        #expect(try thread(&chat, parent, ann).unreadCount == 3)
        let half = MarkThreadRead(channelID: general, parentMessageID: parent.id, messageID: replies[0].id)
        let read = try chat.run(half, as: .user(ann)).thread
        #expect(read.unreadCount == 2)
        #expect(read.lastRead == ReadPosition(messageID: replies[0].id, offset: replies[0].offset))
        try chat.run(MarkUnread(channelID: general, messageID: parent.id), as: .user(bob))
        try chat.run(MarkUnread(channelID: general, messageID: replies[0].id), as: .user(ann))
        let all = MarkThreadRead(channelID: general, parentMessageID: parent.id)
        #expect(try chat.run(all, as: .user(ann)).thread.unreadCount == 0)
        let my = try chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.my
        #expect(my?.unreadCount == 3 && my?.firstUnreadMessageID == replies[0].id)
    }

    @Test
    func `T8: marking a reply as unread includes all later ones, and the reader's devices get the thread`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        let replies = try (1...3).map { try chat.say("\($0)", by: bob, to: parent.id) }
        try chat.run(MarkThreadRead(channelID: general, parentMessageID: parent.id), as: .user(ann))
        chat.forgetWhatWasHeard()
        let marking = MarkThreadUnread(channelID: general, parentMessageID: parent.id, messageID: replies[1].id)
        #expect(try chat.run(marking, as: .user(ann)).thread.unreadCount == 2)
        let heard = chat.heard(by: ann)
        #expect(heard.map(\.event.type) == [.readChanged, .unreadChanged])
        #expect(heard.first?.event.read?.parentMessageID == parent.id)
        #expect(heard.first?.event.read?.firstUnreadMessageID == replies[1].id)
        #expect(heard.last?.event.unread?.parentMessageID == parent.id)
        #expect(heard.last?.event.unread?.markedFrom == replies[1].id)
        try chat.run(marking, as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        let wrong = MarkThreadUnread(channelID: general, parentMessageID: parent.id, messageID: parent.id)
        #expect(chat.refusal(of: wrong, as: .user(ann)) == .notFound)
    }

    @Test func `T8: the first reply marks the thread read up to it; a user's own replies are never unread`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let parent = try chat.say("parent")
        try chat.say("1", by: bob, to: parent.id)
        #expect(try thread(&chat, parent, cat).unreadCount == 1)
        try chat.say("2", by: cat, to: parent.id)
        #expect(try thread(&chat, parent, cat).unreadCount == 0)
        let third = try chat.say("3", by: bob, to: parent.id)
        #expect(try thread(&chat, parent, cat).unreadCount == 1)
        #expect(try thread(&chat, parent, bob).unreadCount == 1)
        try chat.run(DeleteMessage(channelID: general, messageID: third.id), as: .user(bob))
        #expect(try thread(&chat, parent, cat).unreadCount == 0)
    }

    @Test func `T7: a thread's title and data can be changed by participants, operators and the server`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let parent = try chat.say("parent")
        try chat.say("1", by: bob, to: parent.id)
        let naming = UpdateThread(channelID: general, parentMessageID: parent.id, title: "Plans", data: "{}")
        #expect(chat.refusal(of: naming, as: .user(cat)) == .notTheAuthor)
        chat.forgetWhatWasHeard()
        let named = try chat.run(naming, as: .user(bob)).thread
        #expect(named.title == "Plans" && named.data == "{}" && named.replyCount == 1)
        #expect(chat.heard(by: cat, in: .channel(general)) == [.threadUpdated])
        #expect(chat.heard(by: cat).last?.event.thread?.title == "Plans")
        try chat.run(naming, as: .server)
        #expect(chat.lastRecords.isEmpty)
        let taking = UpdateThread(channelID: general, parentMessageID: parent.id, title: "")
        let taken = try chat.run(taking, as: .user(ann)).thread
        #expect(taken.title == nil && taken.data == "{}")
        let long = UpdateThread(
            channelID: general, parentMessageID: parent.id, title: String(repeating: "x", count: 201))
        #expect(chat.refusal(of: long, as: .user(ann)) == .tooLong)
    }

    @Test func `T7, CH7: users who cannot see the parent receive only ids`() throws {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = Chat(settings: settings)
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        try chat.say("1", by: bob, to: parent.id)
        try chat.run(InviteToChannel(channelID: general, userIDs: [cat]), as: .user(ann))
        let naming = UpdateThread(channelID: general, parentMessageID: parent.id, title: "Plans")
        try chat.run(naming, as: .user(ann))
        let heard = try #require(chat.heard(by: cat).last?.event.thread)
        #expect(heard == MessageThread(channelID: general, parentMessageID: parent.id))
        #expect(chat.refusal(of: naming, as: .user(cat)) == .parentUnavailable)
        #expect(try chat.ask(ListThreads(), as: .user(cat)).threads.isEmpty)
    }

    @Test func `T6: a user's threads are listed by latest activity, with replies and participants`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let first = try chat.say("first")
        let second = try chat.say("second", by: bob)
        let third = try chat.say("third", by: cat)
        for number in 1...5 { try chat.say("\(number)", by: bob, to: first.id) }
        try chat.say("a", by: cat, to: second.id)
        try chat.say("b", by: bob, to: third.id)
        #expect(try chat.ask(ListThreads(), as: .user(ann)).threads.map(\.parent.id) == [first.id])
        let bobs = try chat.ask(ListThreads(), as: .user(bob)).threads
        #expect(bobs.map(\.parent.id) == [third.id, second.id, first.id])
        let entry = try #require(bobs.last)
        #expect(entry.replies.map(\.text) == ["3", "4", "5"] && entry.participants.map(\.id) == [ann, bob])
        #expect(entry.thread.replyCount == 5 && entry.channel.id == general)
        let small = ListThreads(replyLimit: 0, participantLimit: 1)
        let bare = try #require(try chat.ask(small, as: .user(ann)).threads.first)
        #expect(bare.replies.isEmpty && bare.participants.map(\.id) == [ann])
        #expect(chat.refusal(of: ListThreads(limit: 0), as: .user(ann)) == .invalidValue)
        #expect(chat.refusal(of: ListThreads(replyLimit: 101), as: .user(ann)) == .invalidValue)
    }

    @Test
    func `T6: a watched list returns the position from which updates continue; an unwatched one returns none`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        try chat.say("reply", by: bob, to: parent.id)
        for watch in [nil, true] {
            let entry = try #require(try chat.ask(ListThreads(watch: watch), as: .user(ann)).threads.first)
            let standing = try chat.state.standing(of: ann, in: .channel(general))
            #expect(entry.position == RoomPosition(offset: standing.offset, epoch: standing.epoch))
        }
        let look = try chat.ask(ListThreads(watch: false), as: .user(ann)).threads
        #expect(look.count == 1 && look[0].position == nil)
        let get = GetThread(channelID: general, parentMessageID: parent.id)
        #expect(try chat.ask(get, as: .user(ann)).position == nil)
    }

    @Test func `T6: a thread that appears after the list is announced after its position, not inserted`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let old = try chat.say("old")
        try chat.say("reply", by: bob, to: old.id)
        let late = try chat.say("late")
        let list = try chat.ask(ListThreads(limit: 1), as: .user(ann))
        let position = try #require(list.threads.first?.position)
        chat.forgetWhatWasHeard()
        try chat.say("first", by: bob, to: late.id)
        let heard = try #require(chat.heard(by: ann).last)
        #expect(heard.event.type == .threadReply && heard.room == .channel(general))
        #expect(heard.offset > position.offset)
        #expect(heard.event.thread?.parentMessageID == late.id && heard.event.thread?.replyCount == 1)
        #expect(heard.event.message?.parent?.user?.id == ann, "by which it is known to be one's own")
        #expect(list.next == nil, "nothing is behind the list")
        #expect(try chat.ask(ListThreads(), as: .user(ann)).threads.map(\.parent.id) == [late.id, old.id])
    }

    @Test func `T6: pages go forwards and backwards, and are stable while threads become active`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parents = try (1...5).map { try chat.say("\($0)") }
        for parent in parents { try chat.say("reply", by: bob, to: parent.id) }
        let first = try chat.ask(ListThreads(limit: 2), as: .user(ann))
        #expect(first.threads.map(\.parent.text) == ["5", "4"] && first.prev == nil)
        try chat.say("again", by: bob, to: parents[0].id)
        let second = try chat.ask(ListThreads(limit: 2, next: first.next), as: .user(ann))
        #expect(second.threads.map(\.parent.text) == ["3", "2"] && second.next == nil)
        let back = try chat.ask(ListThreads(limit: 2, next: second.prev), as: .user(ann))
        #expect(back.threads.map(\.parent.text) == ["5", "4"] && back.prev != nil)
        for token in ["", "1.n", "1.x.0.a.b", "2.n.0.\(parents[0].id).general", "1.n.0.\(parents[0].id)."] {
            #expect(chat.refusal(of: ListThreads(next: token), as: .user(ann)) == .badRequest)
        }
    }

    @Test func `T6: deleting the user's last reply, or all replies, ends the participation`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let parent = try chat.say("parent")
        let reply = try chat.say("1", by: bob, to: parent.id)
        let other = try chat.say("2", by: cat, to: parent.id)
        try chat.run(DeleteMessage(channelID: general, messageID: reply.id), as: .user(bob))
        #expect(try chat.ask(ListThreads(), as: .user(bob)).threads.isEmpty)
        #expect(try chat.ask(ListThreads(), as: .user(ann)).threads.count == 1)
        try chat.run(DeleteMessage(channelID: general, messageID: other.id), as: .user(cat))
        #expect(try chat.ask(ListThreads(), as: .user(ann)).threads.isEmpty)
        try chat.run(DeleteMessage(channelID: general, messageID: parent.id), as: .user(ann))
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my?.unreadCount == 0)
    }

    @Test func `T6: after the user leaves the channel, its threads are no longer listed`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        try chat.say("1", by: bob, to: parent.id)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        #expect(try chat.ask(ListThreads(), as: .user(bob)).threads.isEmpty)
        let getting = GetThread(channelID: general, parentMessageID: parent.id)
        #expect(chat.refusal(of: getting, as: .user(bob)) == .notFound)
    }
}
