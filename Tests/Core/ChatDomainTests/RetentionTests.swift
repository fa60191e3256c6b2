import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct RetentionTests {
    @Test func `PR4: messages beyond a channel's age are gone from lists, counts and single requests`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let old = try chat.say("old")
        chat.pass(seconds: 50)
        try chat.say("new")
        try chat.run(SetRetention(channelID: general, maxAgeSeconds: 100), as: .server)
        #expect(chat.pass(seconds: 49) == 0)
        chat.forgetWhatWasHeard()
        #expect(chat.pass(seconds: 1) == 1)
        #expect(try chat.texts(for: bob) == ["new"])
        let page = try chat.ask(ListMessages(channelID: general, limit: 1), as: .user(bob))
        #expect(page.messages.map(\.text) == ["new"] && !page.hasPrevious && page.next == nil)
        let channel = try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel
        #expect(channel.my?.unreadCount == 1 && channel.firstOffset == old.offset + 1)
        #expect(chat.refusal(of: GetMessage(channelID: general, messageID: old.id), as: .user(ann)) == .notFound)
        #expect(chat.heard(by: bob).isEmpty, "nothing announces it")
    }

    @Test func `PR4: a channel keeps as many of its newest messages as it is told`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<10 { try chat.say("\(number)") }
        let response = try chat.run(SetRetention(channelID: general, maxMessages: 3), as: .server)
        #expect(response.maxMessages == 3 && response.maxAgeSeconds == nil && response.firstOffset == nil)
        #expect(chat.pass(seconds: 1) == 7)
        #expect(try chat.texts(for: bob) == ["7", "8", "9"])
        #expect(try chat.ask(SearchMessages(query: "6"), as: .user(bob)).messages.isEmpty)
        #expect(try chat.ask(SearchMessages(query: "8"), as: .user(bob)).messages.map(\.text) == ["8"])
        try chat.say("10")
        #expect(chat.pass(seconds: 0) == 1)
        #expect(try chat.texts(for: bob) == ["8", "9", "10"])
    }

    @Test func `PR4: the app's limits apply to every channel that has none of its own`() throws {
        var settings = ChatSettings()
        settings.retentionCount = 2
        settings.retentionSeconds = 100
        var chat = Chat(settings: settings)
        try chat.create(with: [bob])
        try chat.create("own", with: [bob])
        try chat.run(SetRetention(channelID: "own", maxAgeSeconds: 0, maxMessages: 0), as: .server)
        for number in 0..<5 {
            try chat.say("\(number)")
            try chat.say("\(number)", in: "own")
        }
        chat.pass(seconds: 1)
        #expect(try chat.texts(for: bob) == ["3", "4"])
        chat.pass(seconds: 100)
        #expect(try chat.texts(for: bob) == [])
        #expect(try chat.texts(for: bob, in: "own").count == 5)
        try chat.run(SetRetention(channelID: "own"), as: .server)
        chat.pass(seconds: 0)
        #expect(try chat.texts(for: bob, in: "own") == [])
    }

    @Test func `PR4: only the server sets retention, for a channel that keeps messages, within limits`() throws {
        var chat = Chat()
        try chat.create()
        #expect(chat.refusal(of: SetRetention(channelID: "none", maxMessages: 1), as: .server) == .notFound)
        for (seconds, count) in [(-1, nil), (nil, -1), (3_153_600_001, nil), (nil, 1_000_000_001), (.max, .max)] {
            let set = SetRetention(channelID: general, maxAgeSeconds: seconds, maxMessages: count)
            #expect(chat.refusal(of: set, as: .server) == .invalidValue)
        }
        try chat.run(CreateChannel(id: "live", isEphemeral: true), as: .user(ann))
        #expect(chat.refusal(of: SetRetention(channelID: "live", maxMessages: 1), as: .server) == .ephemeralChannel)
        try chat.run(SetRetention(channelID: general, maxMessages: 1), as: .server)
        try chat.run(SetRetention(channelID: general, maxMessages: 1), as: .server)
        #expect(chat.lastRecords.isEmpty, "nothing changed")
    }

    @Test func `PR4: a removed parent is not found, and its replies age by themselves`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        let reply = try chat.say("reply", by: bob, to: parent.id, alsoInChannel: true)
        let hidden = try chat.say("in the thread", by: bob, to: parent.id, alsoInChannel: false)
        let gone = try chat.say("deleted", by: bob, to: parent.id, alsoInChannel: false)
        try chat.run(DeleteMessage(channelID: general, messageID: gone.id), as: .user(bob))
        try chat.run(SetRetention(channelID: general, maxMessages: 3), as: .server)
        #expect(chat.pass(seconds: 0) == 1)
        for state in [chat.state, try chat.copied(), chat.replayed] {
            var copy = chat
            copy.replace(state)
            let listed = try copy.ask(
                ListMessages(
                    channelID: general, limit: 10, replies: .all, includeParent: true, includeDeleted: true),
                as: .user(ann)
            ).messages
            #expect(listed.map(\.id) == [reply.id, hidden.id, gone.id])
            #expect(listed.map(\.parentMessageID) == [parent.id, parent.id, parent.id])
            #expect(listed.first?.parent?.state == .notFound)
            #expect(listed.map(\.replyToChannel) == [true, false, false])
            let threads = try copy.ask(ListThreads(), as: .user(ann)).threads
            #expect(threads.isEmpty)
            let replies = ListReplies(channelID: general, parentMessageID: parent.id)
            #expect(copy.refusal(of: replies, as: .user(bob)) == .notFound)
            #expect(
                copy.refusal(
                    of: SendMessage(channelID: general, text: "late", parentMessageID: parent.id), as: .user(bob))
                    == .notFound)
        }
        chat.pass(seconds: 1)
        try chat.run(SetRetention(channelID: general, maxAgeSeconds: 1), as: .server)
        chat.pass(seconds: 5)
        #expect(try chat.texts(for: bob) == [])
    }

    @Test func `PR4 MS3: a removed message's client id is kept for a day, also over a restart`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let send = SendMessage(channelID: general, text: "a", clientID: "c")
        let first = try chat.run(send, as: .user(ann)).message
        try chat.say("b")
        try chat.run(SetRetention(channelID: general, maxMessages: 1), as: .server)
        #expect(chat.pass(seconds: 0) == 1)
        for state in [chat.state, try chat.copied(), chat.replayed] {
            var copy = chat
            copy.replace(state)
            #expect(copy.refusal(of: send, as: .user(ann)) == .messageDeleted)
            #expect(copy.refusal(of: GetMessage(channelID: general, messageID: first.id), as: .user(ann)) == .notFound)
            #expect(try copy.texts(for: bob) == ["b"])
        }
        chat.pass(seconds: 86_401)
        try chat.say("c")
        chat.pass(seconds: 0)
        #expect(try chat.run(send, as: .user(ann)).message.id != first.id)
    }

    @Test func `PR4 PR1: removed messages without a client id are freed at once, whoever is deleted later`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<5 { try chat.say("\(number)") }
        try chat.run(SendMessage(channelID: general, text: "id", clientID: "c"), as: .user(bob))
        for number in 0..<5 { try chat.say("\(number)") }
        try chat.run(SetRetention(channelID: general, maxMessages: 2), as: .server)
        #expect(chat.pass(seconds: 0) == 9)
        for state in [chat.state, try chat.copied(), chat.replayed] {
            // From bob's message on.
            #expect(state.channels[general]?.messages.keptCount == 6)
        }
        try chat.run(DeleteUser(userID: bob), as: .server)
        chat.finishErasures()
        try chat.say("more")
        chat.pass(seconds: 0)
        for state in [chat.state, try chat.copied(), chat.replayed] {
            #expect(state.channels[general]?.messages.keptCount == 2)
        }
    }

    @Test func `PR4: nodes that do not know which client ids are kept remove messages as before`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<5 { try chat.say("\(number)") }
        try chat.run(SetRetention(channelID: general, maxMessages: 1), as: .server)
        var deadlines = Deadlines(of: chat.state, ChatSettings())
        let due = deadlines.due(at: chat.now, in: chat.state, ChatSettings()) { $0.leastVersion < 8 }
        guard case .historyTrimmed(let trimmed)? = due.events.first else {
            Issue.record("\(due)")
            return
        }
        #expect(due.messages == 4 && trimmed.clientIDsFrom == nil)
    }

    @Test func `PR4: messages sent after all were removed and freed survive a restart`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<5 { try chat.say("\(number)") }
        try chat.run(SetRetention(channelID: general, maxAgeSeconds: 60), as: .server)
        chat.pass(seconds: 86_401)
        // The retention's end by time comes after the client ids' time.
        #expect(chat.state.channels[general]?.messages.isEmpty == true)
        #expect(chat.state.channels[general]?.messages.keptCount == 1)
        try chat.say("new")
        for state in [chat.state, try chat.copied(), chat.replayed] {
            var copy = chat
            copy.replace(state)
            #expect(try copy.texts(for: bob) == ["new"])
        }
    }

    @Test func `PR4: replies know their parent long after its memory was freed`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        let early = try chat.run(
            SendMessage(channelID: general, text: "early", clientID: "e"), as: .user(ann)
        ).message
        for number in 0..<2_100 { try chat.say("\(number)") }
        let reply = try chat.say("reply", by: bob, to: parent.id)
        let gone = try chat.say("gone", by: bob, to: parent.id)
        try chat.run(DeleteMessage(channelID: general, messageID: gone.id), as: .user(bob))
        chat.pass(seconds: 86_401)
        try chat.say("last")
        try chat.run(SetRetention(channelID: general, maxMessages: 3), as: .server)
        #expect(chat.pass(seconds: 0) == 2_102)
        for state in [chat.state, try chat.copied(), chat.replayed] {
            var copy = chat
            copy.replace(state)
            let listed = try copy.ask(
                ListMessages(channelID: general, limit: 10, replies: .all, includeDeleted: true), as: .user(ann)
            ).messages
            #expect(listed.map(\.parentMessageID) == [parent.id, parent.id, nil])
            #expect(listed.prefix(2).map(\.id) == [reply.id, gone.id])
            // Its client id is free again.
            let again = try copy.run(SendMessage(channelID: general, text: "early", clientID: "e"), as: .user(ann))
            #expect(again.message.id != early.id)
        }
    }

    @Test func `PR4: files of removed messages are deleted, and stored answers are not told again`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let file = FileID(high: 1, low: 2)
        let upload = UploadedFile(id: file, channel: general, owner: ann, name: "a", size: 1, mimeType: "text/plain")
        chat.apply([.fileRegistered(upload)])
        let message = try chat.run(
            SendMessage(channelID: general, kind: .file, files: [FileReference(id: file)]), as: .user(ann)
        ).message
        try chat.say("b")
        #expect(chat.state.fileIDs == [file])
        let recall = RecallAnswer(of: general, message: message.id)
        #expect(chat.refusal(of: recall, as: .user(ann)) == nil)
        try chat.run(SetRetention(channelID: general, maxMessages: 1), as: .server)
        chat.pass(seconds: 0)
        #expect(chat.state.fileIDs.isEmpty)
        let removed = chat.lastEffects.contains { if case .filesRemoved([file]) = $0 { true } else { false } }
        #expect(removed)
        #expect(chat.refusal(of: recall, as: .user(ann)) == .messageDeleted)
    }

    @Test func `PR4: reactions, mentions, unread counts and receipts stay true`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        for number in 0..<20 {
            let message = try chat.run(
                SendMessage(
                    channelID: general, text: "\(number)", mentionType: number % 2 == 0 ? .channel : .users,
                    mentionedUserIDs: number % 2 == 0 ? nil : [bob]), as: .user(number % 3 == 0 ? bob : ann)
            ).message
            try chat.run(AddReaction(channelID: general, messageID: message.id, key: "sob"), as: .user(cat))
        }
        try chat.run(SetRetention(channelID: general, maxMessages: 5), as: .server)
        #expect(chat.pass(seconds: 0) == 15)
        // 15 to 19 are left; bob sent 15 and 18, and all others mention him.
        for state in [chat.state, try chat.copied(), chat.replayed] {
            var copy = chat
            copy.replace(state)
            let my = try copy.ask(GetChannel(channelID: general), as: .user(bob)).channel.my
            #expect(my?.unreadCount == 3 && my?.unreadMentionCount == 3)
            #expect(
                my?.firstUnreadMessageID
                    == (try copy.ask(
                        ListMessages(channelID: general, limit: 4), as: .user(bob)
                    ).messages.first?.id))
            try copy.run(MarkRead(channelID: general), as: .user(bob))
            #expect(try copy.ask(GetChannel(channelID: general), as: .user(bob)).channel.my?.unreadCount == 0)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `PR4: after any history, a state with retention shows only messages that are to be kept`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = Chat(seed: seed)
        try chat.create(with: [bob, cat])
        var messages: [Message] = []
        var deleted: Set<MessageID> = []
        for step in 0..<400 {
            chat.step = Int64.random(in: 0...2_000, using: &random)
            let user = random.pick([ann, bob, cat])
            let visible = chat.state.channels[general]?.messages.map(\.id) ?? []
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                try chat.run(
                    SetRetention(
                        channelID: general, maxAgeSeconds: random.pick([nil, 0, 60, 120]),
                        maxMessages: random.pick([nil, 0, 5, 50])), as: .server)
            case 1: chat.pass(seconds: Int64.random(in: 0...30, using: &random))
            case 2:
                guard let id = visible.randomElement(using: &random) else { continue }
                if chat.refusal(of: DeleteMessage(channelID: general, messageID: id), as: .server) == nil {
                    deleted.insert(id)
                }
            case 3:
                guard let id = visible.randomElement(using: &random) else { continue }
                _ = chat.refusal(of: UpdateMessage(channelID: general, messageID: id, text: "edited"), as: .server)
            case 4: _ = chat.refusal(of: MarkRead(channelID: general), as: .user(user))
            default:
                let parent =
                    random.chance(3) ? visible.filter { !deleted.contains($0) }.randomElement(using: &random) : nil
                let isParent = parent.map { id in messages.first { $0.id == id }?.parentMessageID == nil } ?? true
                guard isParent else { continue }
                messages.append(try chat.say("\(step)", by: user, to: parent))
            }
        }
        chat.pass(seconds: 0)
        let kept = try #require(chat.state.channels[general])
        let limits = kept.retention.over(chat.settings)
        #expect(kept.messages.map(\.id) == messages.suffix(kept.messages.count).map(\.id), "the oldest are removed")
        if let count = limits.count { #expect(kept.messages.count <= count) }
        if let seconds = limits.seconds, let oldest = kept.messages.first {
            #expect(oldest.createdAt + Int64(seconds) * 1_000 > chat.now)
        }
        let people = [ann, bob, cat]
        let shown = chat.state.snapshot(users: people, channels: [general])
        #expect(chat.replayed.snapshot(users: people, channels: [general]) == shown)
        #expect(try chat.copied().snapshot(users: people, channels: [general]) == shown)
        for user in people {
            let my = try chat.ask(GetChannel(channelID: general), as: .user(user)).channel.my
            let lastRead = my?.lastRead?.offset ?? 0
            let unread = kept.messages.filter {
                $0.offset > lastRead && !$0.isDeleted && $0.appearsInChannel && $0.sender != user
            }
            #expect(my?.unreadCount == unread.count)
        }
    }

    @Test func `PR4: members forget their markers in threads that were removed`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.run(SetRetention(channelID: general, maxMessages: 4), as: .server)
        for number in 0..<200 {
            let parent = try chat.say("\(number)")
            try chat.say("reply", by: bob, to: parent.id)
            chat.pass(seconds: 0)
        }
        #expect(chat.state.channels[general]?.members[bob]?.threadMarks.count ?? 0 < 64)
    }

    @Test func `PR4: a node that takes over removes what the former writer had not removed yet`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.say("old")
        chat.pass(seconds: 50)
        try chat.say("new")
        try chat.run(SetRetention(channelID: general, maxAgeSeconds: 100), as: .server)
        var follower = Deadlines(of: chat.state, chat.settings)
        #expect(chat.pass(seconds: 50) == 1)
        for record in chat.lastRecords { follower.add(record, in: chat.state, chat.settings) }
        follower.dropObsolete(at: chat.now, in: chat.state, chat.settings)
        #expect(follower.count == 1)
        let time = try #require(follower.next)
        #expect(time > chat.now && time <= chat.now + 50_000)
        #expect(follower.due(at: time, in: chat.state, chat.settings).messages == 1)
    }
}
