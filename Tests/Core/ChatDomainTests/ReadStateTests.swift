import ChatDomain
import ChatModel
import TestSupport
import Testing

/// Covers `U1`–`U6` and `MS2` (mentions).
@Suite struct ReadStateTests {
    private func my(_ chat: inout Chat, _ user: UserID, _ id: ChannelID = general) throws -> MyMembership {
        try #require(try chat.ask(GetChannel(channelID: id), as: .user(user)).channel.my)
    }

    @Test
    func `U1: other users' messages are unread, the user's own never are, and the count starts at zero on joining`()
        throws
    {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.say("one")
        try chat.say("two")
        try chat.say("mine", by: bob)
        #expect(try my(&chat, bob).unreadCount == 2)
        #expect(try my(&chat, ann).unreadCount == 1)
        try chat.run(InviteToChannel(channelID: general, userIDs: [cat]), as: .user(ann))
        #expect(try my(&chat, cat).unreadCount == 0)
        try chat.say("three")
        #expect(try my(&chat, cat).unreadCount == 1)
        #expect(
            try chat.ask(GetUnreadCounts(), as: .user(bob)).unread
                == UnreadTotals(unreadCount: 3, unreadMentionCount: 0, unreadChannelCount: 1))
    }

    @Test func `U7: totals count unread threads and their replies, for threads the user participates in`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        try chat.create("second", with: [bob])
        let own = try chat.say("own", by: bob)
        let joined = try chat.say("joined")
        let foreign = try chat.say("foreign")
        try chat.say("by bob", by: bob, to: joined.id, alsoInChannel: false)
        for number in 0..<2 { try chat.say("r\(number)", to: own.id, alsoInChannel: number == 0) }
        try chat.say("r2", by: cat, to: joined.id, alsoInChannel: false)
        try chat.say("r3", by: cat, to: foreign.id, alsoInChannel: false)
        let other = try chat.say("other", by: bob, in: "second")
        try chat.say("r4", in: "second", to: other.id, alsoInChannel: false)
        func totals(_ user: UserID = bob) throws -> (threads: Int, replies: Int) {
            let totals = try chat.ask(GetUnreadCounts(), as: .user(user)).unread
            #expect(chat.state.unreadTotals(of: user) == totals && chat.replayed.unreadTotals(of: user) == totals)
            return (totals.unreadThreadCount, totals.unreadReplyCount)
        }
        #expect(try totals() == (3, 4))
        #expect(try totals(ann) == (2, 3), "own replies never count")
        let read = MarkThreadRead(channelID: general, parentMessageID: own.id)
        try chat.run(read, as: .user(bob))
        #expect(try totals() == (2, 2))
        let reply = try chat.say("r5", to: own.id).id
        try chat.run(read, as: .user(bob))
        let unread = MarkThreadUnread(channelID: general, parentMessageID: own.id, messageID: reply)
        try chat.run(unread, as: .user(bob))
        #expect(chat.heard(by: bob).last?.event.unread?.totals.unreadThreadCount == 3)
        try chat.run(MarkAllRead(), as: .user(bob))
        #expect(try totals() == (3, 3), "threads are read by themselves")
        try chat.run(DeleteMessage(channelID: general, messageID: reply), as: .user(ann))
        #expect(try totals() == (2, 2))
        try chat.run(LeaveChannel(channelID: "second"), as: .user(bob))
        #expect(try totals() == (1, 1))
    }

    @Test func `U7: a permanently hidden channel is not counted in any total`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent", by: bob).id
        func totals() throws -> UnreadTotals { try chat.ask(GetUnreadCounts(), as: .user(bob)).unread }
        try chat.run(HideChannel(channelID: general, allowAutoUnhide: false), as: .user(bob))
        try chat.run(SendMessage(channelID: general, text: "you", mentionedUserIDs: [bob]), as: .user(ann))
        try chat.say("reply", to: parent)
        #expect(try totals() == UnreadTotals())
        #expect(try my(&chat, bob).unreadCount == 2, "the channel itself still tells")
        try chat.run(UnhideChannel(channelID: general), as: .user(bob))
        let all = UnreadTotals(
            unreadCount: 2, unreadMentionCount: 1, unreadChannelCount: 1, unreadThreadCount: 1, unreadReplyCount: 1)
        #expect(try totals() == all)
        try chat.run(HideChannel(channelID: general), as: .user(bob))
        #expect(try totals() == all, "one that comes back by itself counts")
    }

    @Test func `U7: totals examine at most a thousand threads, the newest parents of each channel`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.create("small", with: [bob])
        for number in 0..<1_100 {
            let parent = try chat.say("p\(number)", by: bob).id
            try chat.say("r", to: parent, alsoInChannel: false)
        }
        #expect(chat.state.unreadTotals(of: bob).unreadThreadCount == 1_000)
        let small = try chat.say("small", by: bob, in: "small").id
        for _ in 0..<3 { try chat.say("r", in: "small", to: small, alsoInChannel: false) }
        let totals = chat.state.unreadTotals(of: bob)
        #expect((totals.unreadThreadCount, totals.unreadReplyCount) == (501, 503), "no channel takes it all")
    }

    @Test func `U1: an invited user who has not joined has no unread messages`() throws {
        var chat = Chat()
        try chat.run(UpdatePreferences(autoAcceptInvitations: false), as: .user(bob))
        try chat.create(with: [bob])
        try chat.say("one")
        #expect(try my(&chat, bob).unreadCount == nil)
        #expect(try chat.ask(GetUnreadCounts(), as: .user(bob)).unread == UnreadTotals())
        #expect(chat.refusal(of: MarkRead(channelID: general), as: .user(bob)) == .invitedNotMember)
    }

    @Test
    func `U1, MS2: mentions of a user or the whole channel count, except for their author, and follow edits`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let named = SendMessage(channelID: general, text: "hi", mentionedUserIDs: [bob, ann, bob])
        let message = try chat.run(named, as: .user(ann)).message
        #expect(message.mentionType == .users && message.mentionedUserIDs == [bob, ann])
        try chat.run(SendMessage(channelID: general, text: "all", mentionType: .channel), as: .user(cat))
        #expect(try my(&chat, ann).unreadMentionCount == 1)
        #expect(try my(&chat, bob).unreadMentionCount == 2)
        #expect(try my(&chat, cat).unreadMentionCount == 0)
        let change = UpdateMessage(channelID: general, messageID: message.id, mentionedUserIDs: [cat])
        try chat.run(change, as: .user(ann))
        #expect(try my(&chat, bob).unreadMentionCount == 1)
        #expect(try my(&chat, cat).unreadMentionCount == 1)
        try chat.run(DeleteMessage(channelID: general, messageID: message.id), as: .user(ann))
        #expect(try my(&chat, cat).unreadMentionCount == 0)
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        #expect(try my(&chat, bob).unreadMentionCount == 0)
    }

    @Test func `MS2: a mention names known users, at most 100, and none if it is for the whole channel`() throws {
        var chat = Chat()
        try chat.create()
        func code(_ type: MentionType?, _ ids: [UserID]?) -> ErrorCode? {
            let send = SendMessage(channelID: general, text: "x", mentionType: type, mentionedUserIDs: ids)
            return chat.refusal(of: send, as: .user(ann))
        }
        #expect(code(nil, ["nobody"]) == .notFound)
        #expect(code(.channel, [bob]) == .invalidValue)
        #expect(code(nil, (0...100).map { UserID(stringLiteral: "u\($0)") }) == .tooMany)
        #expect(code(.users, [bob]) == nil)
    }

    @Test func `MS2, MS3: a resend with other mentions under the same client id conflicts`() throws {
        var chat = Chat()
        try chat.create()
        let send = SendMessage(channelID: general, text: "x", clientID: "1", mentionedUserIDs: [bob])
        let first = try chat.run(send, as: .user(ann)).message
        #expect(try chat.run(send, as: .user(ann)).message.id == first.id)
        #expect(
            chat.refusal(of: SendMessage(channelID: general, text: "x", clientID: "1"), as: .user(ann))
                == .clientIDConflict)
    }

    @Test func `U2: reading moves the marker only forward, to the newest message or to a given one`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let messages = try (1...3).map { try chat.say("\($0)") }
        let half = try chat.run(MarkRead(channelID: general, messageID: messages[1].id), as: .user(bob)).read
        #expect(half.unreadCount == 1 && half.firstUnreadMessageID == messages[2].id)
        #expect(half.lastRead == ReadPosition(messageID: messages[1].id, offset: messages[1].offset))
        let back = try chat.run(MarkRead(channelID: general, messageID: messages[0].id), as: .user(bob)).read
        #expect(back == half && chat.lastRecords.isEmpty)
        let all = try chat.run(MarkRead(channelID: general), as: .user(bob)).read
        #expect(all.unreadCount == 0 && all.firstUnreadMessageID == nil)
        #expect(try my(&chat, ann).unreadCount == 0)
        #expect(chat.refusal(of: MarkRead(channelID: general), as: .user(cat)) == .notFound)
    }

    @Test func `U2: receipts name the readers, count the others, and survive marking as unread`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let message = try chat.say("hello")
        try chat.run(InviteToChannel(channelID: general, userIDs: [dan]), as: .user(ann))
        let list = ListReceipts(channelID: general, messageID: message.id)
        var receipts = try chat.ask(list, as: .user(ann))
        #expect(receipts.readCount == 0 && receipts.unreadCount == 2)
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        try chat.run(MarkUnread(channelID: general, messageID: message.id), as: .user(bob))
        receipts = try chat.ask(list, as: .user(ann))
        #expect(receipts.users.map(\.id) == [bob] && receipts.readCount == 1 && receipts.unreadCount == 1)
        let members = try chat.ask(ListMembers(channelID: general), as: .user(ann)).members
        #expect(members.first { $0.user.id == bob }?.lastRead?.messageID == message.id)
        #expect(chat.refusal(of: list, as: .user(eve)) == .notFound)
    }

    @Test func `U3, U4: a message and all later ones become unread; earlier unread ones stay unread`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let messages = try (1...4).map { try chat.say("\($0)") }
        let admin = try chat.run(SendMessage(channelID: general, text: "news"), as: .server).message
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        let read = try chat.run(MarkUnread(channelID: general, messageID: messages[1].id), as: .user(bob)).read
        #expect(read.unreadCount == 4 && read.firstUnreadMessageID == messages[1].id)
        try chat.run(MarkUnread(channelID: general, messageID: messages[3].id), as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
        #expect(try my(&chat, bob).unreadCount == 4)
        let marking = MarkUnread(channelID: general, messageID: admin.id)
        #expect(chat.refusal(of: marking, as: .user(bob)) == .wrongMessageKind)
        let reply = try chat.say("aside", to: messages[0].id, alsoInChannel: false)
        #expect(
            chat.refusal(of: MarkUnread(channelID: general, messageID: reply.id), as: .user(bob)) == .invalidValue)
    }

    @Test func `U5: only the reader's devices get the counts, and all of them get the marker's position`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let message = try chat.say("hello")
        chat.forgetWhatWasHeard()
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        try chat.run(MarkUnread(channelID: general, messageID: message.id), as: .user(bob))
        let heard = chat.heard(by: bob).filter { $0.room == .inbox(bob) }
        #expect(heard.map(\.event.type) == [.readChanged, .readChanged, .unreadChanged])
        #expect(heard.map(\.offset) == (heard[0].offset...heard[0].offset + 2).map(\.self))
        #expect(heard[0].event.read?.unreadCount == 0 && heard[1].event.read?.unreadCount == 1)
        #expect(heard[1].event.read?.firstUnreadMessageID == message.id)
        #expect(heard[2].event.unread?.markedFrom == message.id)
        #expect(heard[2].event.unread?.totals.unreadCount == 1)
        // Other users get a transient receipt, and nothing when messages are marked as unread.
        let receipts = chat.heard(by: ann)
        #expect(receipts.map(\.event.type) == [.readChanged] && receipts[0].offset == 0)
        let receipt = try #require(receipts[0].event.read)
        #expect(receipt.lastRead.messageID == message.id && receipt.userID == bob)
        #expect(receipt.unreadCount == nil && receipt.firstUnreadMessageID == nil)
    }

    /// Issue 20, N111: startup counted the totals again for each such event that it read, which took 8 ms for 2,000
    /// channels.
    @Test
    func `U7: marking as unread records the resulting totals, which are not computed again`() throws {
        var chat = Chat()
        let rooms = ["a", "b", "c"].map { ChannelID(stringLiteral: $0) }
        var firsts: [Message] = []
        var replies: [Message] = []
        for room in rooms {
            try chat.run(CreateChannel(id: room, userIDs: [bob]), as: .user(ann))
            let parent = try chat.run(SendMessage(channelID: room, text: "hello"), as: .user(bob)).message
            firsts.append(try chat.run(SendMessage(channelID: room, text: "@bob"), as: .user(ann)).message)
            for text in ["1", "2"] {
                replies.append(
                    try chat.run(
                        SendMessage(channelID: room, text: text, parentMessageID: parent.id), as: .user(ann)
                    ).message)
            }
            try chat.run(MarkRead(channelID: room), as: .user(bob))
            try chat.run(MarkThreadRead(channelID: room, parentMessageID: parent.id), as: .user(bob))
        }
        try chat.run(HideChannel(channelID: "c", allowAutoUnhide: false), as: .user(bob))
        var records: [Record] = []
        for (number, room) in rooms.enumerated() {
            try chat.run(MarkUnread(channelID: room, messageID: firsts[number].id), as: .user(bob))
            records += chat.lastRecords
            for reply in [replies[2 * number + 1], replies[2 * number]] {
                let parent = try #require(reply.parentMessageID)
                try chat.run(
                    MarkThreadUnread(channelID: room, parentMessageID: parent, messageID: reply.id), as: .user(bob))
                let totals = try chat.ask(GetUnreadCounts(), as: .user(bob)).unread
                records += chat.lastRecords
                guard case .unreadMarked(_, _, let told)? = chat.lastRecords.last?.event else {
                    Issue.record("not marked")
                    return
                }
                #expect(told == totals)
            }
        }
        let told = records.compactMap { record in
            if case .unreadMarked(_, _, let totals) = record.event { totals?.unreadReplyCount } else { nil }
        }
        #expect(told == [0, 1, 2, 2, 3, 4, 4, 4, 4], "the hidden channel does not count")
        for record in records {
            guard case .unreadMarked(_, _, let totals) = record.event else { continue }
            let events = chat.state.effects(of: record, chat.settings).compactMap { effect -> TypedEvent? in
                if case .announce(let announcement) = effect { announcement.event } else { nil }
            }
            #expect(events.last?.unread?.totals == totals)
        }
    }

    @Test func `U2: a large channel gets no read receipts`() throws {
        var chat = Chat()
        chat.settings.presenceMembers = 1
        try chat.create(with: [bob])
        try chat.say("hello")
        chat.forgetWhatWasHeard()
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        #expect(chat.heard(by: ann).isEmpty)
    }

    @Test func `U6: marking all as read touches only channels with unread messages`() throws {
        var chat = Chat()
        let rooms = ["a", "b", "c"].map { ChannelID(stringLiteral: $0) }
        for room in rooms { try chat.run(CreateChannel(id: room, userIDs: [bob]), as: .user(ann)) }
        for room in rooms.prefix(2) { try chat.run(SendMessage(channelID: room, text: "x"), as: .user(ann)) }
        #expect(try chat.ask(GetUnreadCounts(), as: .user(bob)).unread.unreadChannelCount == 2)
        #expect(try chat.run(MarkAllRead(), as: .user(bob)).unread == UnreadTotals())
        #expect(chat.lastRecords.count == 2)
        try chat.run(MarkAllRead(), as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `U1, CH7: hidden history is not unread, and leaving a channel discards the marker`() throws {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = Chat(settings: settings)
        try chat.run(CreateChannel(id: general, userIDs: [bob], isPublic: true), as: .user(ann))
        try chat.say("old")
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.say("away")
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        #expect(try my(&chat, bob).unreadCount == 0)
        let new = try chat.say("new")
        #expect(try my(&chat, bob).unreadCount == 1)
        #expect(try my(&chat, bob).firstUnreadMessageID == new.id)
        #expect(try my(&chat, bob).lastRead?.messageID == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `U1: counts, mentions and the first unread message match a recount`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let people = [ann, bob, cat]
        var chat = Chat(people, seed: seed)
        try chat.create(with: [bob, cat])
        var marker: [UserID: UInt64] = [:]
        for person in people { marker[person] = try #require(try my(&chat, person).lastRead?.offset) }
        var alive: [Message] = []
        for _ in 0..<300 {
            let person = random.pick(people)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let parent = alive.filter { $0.parentMessageID == nil }.randomElement(using: &random)
                let isReply = random.chance(percent: 40) && parent != nil
                let send = SendMessage(
                    channelID: general, text: "x", parentMessageID: isReply ? parent?.id : nil,
                    replyToChannel: isReply ? random.chance(percent: 50) : nil,
                    mentionType: random.chance(percent: 20) ? .channel : nil)
                alive.append(try chat.run(send, as: .user(person)).message)
            case 5:
                guard let doomed = alive.randomElement(using: &random), let author = doomed.user?.id else { continue }
                let delete = DeleteMessage(channelID: general, messageID: doomed.id)
                if chat.refusal(of: delete, as: .user(author)) == nil { alive.removeAll { $0.id == doomed.id } }
            case 6, 7:
                let upTo = random.chance(percent: 50) ? alive.randomElement(using: &random) : nil
                try chat.run(MarkRead(channelID: general, messageID: upTo?.id), as: .user(person))
                let newest = try chat.ask(
                    ListMessages(channelID: general, limit: 1, replies: .all, includeDeleted: true), as: .server)
                let target = upTo?.offset ?? newest.messages.first?.offset ?? 0
                marker[person] = max(marker[person] ?? 0, target)
            default:
                guard let from = alive.randomElement(using: &random) else { continue }
                let marking = MarkUnread(channelID: general, messageID: from.id)
                if chat.refusal(of: marking, as: .user(person)) == nil {
                    marker[person] = min(marker[person] ?? 0, from.offset - 1)
                }
            }
            for reader in people {
                let unread = alive.filter {
                    $0.offset > marker[reader] ?? 0 && $0.user?.id != reader
                        && ($0.parentMessageID == nil || $0.replyToChannel == true)
                }
                let mine = try my(&chat, reader)
                #expect(mine.unreadCount == unread.count, "seed \(seed)")
                #expect(mine.unreadMentionCount == unread.count { $0.mentionType == .channel }, "seed \(seed)")
                #expect(mine.firstUnreadMessageID == unread.first?.id, "seed \(seed)")
            }
        }
    }
}

extension ReadStateTests {
    @Test func `CH5: an ephemeral channel has no read markers`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, isEphemeral: true), as: .user(ann))
        let id = try chat.say("gone").id
        #expect(chat.refusal(of: MarkRead(channelID: general), as: .user(ann)) == .ephemeralChannel)
        #expect(chat.refusal(of: MarkUnread(channelID: general, messageID: id), as: .user(ann)) == .ephemeralChannel)
        let thread = MarkThreadRead(channelID: general, parentMessageID: id)
        #expect(chat.refusal(of: thread, as: .user(ann)) == .ephemeralChannel)
        let title = UpdateThread(channelID: general, parentMessageID: id, title: "x")
        #expect(chat.refusal(of: title, as: .user(ann)) == .ephemeralChannel)
        try chat.run(MarkAllRead(), as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
    }
}

extension ReadStateTests {
    @Test func `U2, CH16: a user who clears their history still counts as a reader of earlier messages`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let message = try chat.say("hello")
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        try chat.run(ResetHistory(channelID: general), as: .user(bob))
        try chat.run(ResetHistory(channelID: general), as: .user(cat))
        let receipts = try chat.ask(ListReceipts(channelID: general, messageID: message.id), as: .user(ann))
        #expect(receipts.users.map(\.id) == [bob] && receipts.unreadCount == 1)
    }
}
