import ChatModel
import Testing

@testable import ChatDomain

/// Imports without engine and disk: lines, hidden channels and their opening (`PR3`).
@Suite struct ImportTests: ImportScene {
    @Test func `PR3: a history is imported with its authors and times, and is seen once the import is finished`() throws
    {
        var chat = try chat()
        let done = try add(history, at: 1, to: &chat)
        #expect(done.lastLine == history.count && done.channelCount == 1 && done.messageCount == 5)
        #expect(chat.refusal(of: GetChannel(channelID: "old"), as: .server) == .notFound)
        #expect(chat.refusal(of: GetChannel(channelID: "old"), as: .user(ann)) == .notFound)
        #expect(try chat.run(Self.finish, as: .server).import.state == .finished)
        let view = try chat.ask(GetChannel(channelID: "old"), as: .user(bob)).channel
        #expect(view.createdAt == Self.then && view.createdBy == ann && view.name == "Old" && view.customType == "team")
        #expect(view.memberCount == 2 && view.my?.mutedUntil == Sanction.endless)
        let messages = try self.messages(&chat)
        #expect(messages.map(\.sourceID) == ["1", "2", "3", "4"])
        #expect(messages.map { $0.createdAt - Self.then } == [0, 10, 10, 20])
        #expect(messages.map { $0.user?.id } == [ann, bob, nil, ann] && messages[2].kind == .admin)
        #expect(messages[1].parentMessageID == messages[0].id)
        #expect(messages[0].reactions?.map(\.userIDs) == [[bob, ann]])
        #expect(messages[3].updatedAt == Self.then + 30 && messages[3].text == "text 4")
        // UUIDv7 of the original time.
        #expect(messages.map { Int64($0.id.high >> 16) } == messages.map(\.createdAt))
        #expect(messages.allSatisfy { $0.id.high & 0xF000 == 0x7000 && $0.id.low >> 62 == 2 })
        let thread = try chat.ask(GetThread(channelID: "old", parentMessageID: messages[0].id), as: .user(ann)).thread
        #expect(thread.replyCount == 1 && thread.title == "About" && thread.unreadCount == 0)
        // Bob has read up to the second message; ann's marker is at the end by default.
        #expect(view.my?.unreadCount == 2)
        #expect(try chat.ask(GetChannel(channelID: "old"), as: .user(ann)).channel.my?.unreadCount == 0)
        let banned = try chat.ask(ListBanned(channelID: "old"), as: .server).bans
        #expect(banned.map(\.user.id) == [cat] && banned.first?.by == ann && banned.first?.at == Self.then)
        // The channel goes on like any other.
        let new = try chat.say("new", by: ann, in: "old")
        #expect(try self.messages(&chat).last == new && new.createdAt > Self.then && new.sourceID == nil)
    }

    @Test func `PR3: an import announces nothing but the rooms, and only once it is finished`() throws {
        var chat = try chat()
        chat.forgetWhatWasHeard()
        try add(history, at: 1, to: &chat)
        #expect(chat.lastEffects.isEmpty)
        try chat.run(Self.finish, as: .server)
        var gained: [UserID] = []
        for effect in chat.lastEffects {
            guard case .gained(let user, let standing) = effect else {
                Issue.record("\(effect)")
                continue
            }
            gained.append(user)
            #expect(standing.room == .channel("old") && standing.offset == standing.since)
        }
        #expect(gained == [ann, bob])
        for user in [ann, bob, cat] { #expect(chat.heard(by: user).isEmpty) }
        try chat.say("new", in: "old")
        #expect(chat.heard(by: bob, in: .channel("old")) == [.messageNew])
    }

    @Test func `PR3: lines that were accepted are skipped by number, and repeated lines change nothing`() throws {
        var chat = try chat()
        try add(history, at: 1, to: &chat)
        let count = chat.records.count
        let again = try add(history, at: 1, to: &chat)
        #expect(again.lastLine == history.count && chat.records.count == count)
        // The overlap is skipped, the rest is added.
        let more = try add(Array(history.suffix(3)) + [message("6", at: 50)], at: history.count - 2, to: &chat)
        #expect(more.lastLine == history.count + 1 && more.messageCount == 6)
        // The same lines under new numbers.
        let repeated = history.filter { !["thread", "mute", "ban", "read"].contains($0.type) }
        try add(repeated, at: history.count + 2, to: &chat)
        let last = history.count + 1 + repeated.count
        #expect(chat.records.last?.event == .importAdded(.init(id: "i", lastLine: last, records: [])))
        let next = history.count + 2 + repeated.count
        #expect(
            refusal(of: [message("7")], at: next + 1, in: &chat)
                == Rejection(.invalidValue, "first_line: must be at most \(next), the next line"))
    }

    @Test func `PR3: equal sources and ids give equal message ids, others do not`() throws {
        var ids: [[MessageID]] = []
        for source in ["a", "a", "b"] {
            var chat = Chat([ann])
            try chat.run(BeginImport(importID: "i", source: source), as: .server)
            try add([channel(), message("1"), message("2")], at: 1, to: &chat)
            try chat.run(Self.finish, as: .server)
            ids.append(try messages(&chat).map(\.id))
        }
        #expect(ids[0] == ids[1] && Set(ids[0]).count == 2 && Set(ids[0]).isDisjoint(with: ids[2]))
    }

    @Test func `PR3: an existing user stays as they are, and a new one is created with what the line says`() throws {
        var chat = try chat()
        try chat.run(UpsertUser(id: ann, nickname: "Ann"), as: .server)
        var old = user("zoe")
        old.user?.nickname = "Zoe"
        old.user?.isActive = false
        old.user?.lastSeenAt = Self.then
        (old.autoAcceptInvitations, old.push) = (false, .off)
        var other = user(ann)
        other.user?.nickname = "Other"
        try add([old, other], at: 1, to: &chat)
        #expect(try chat.ask(GetUser(userID: ann), as: .server).user.nickname == "Ann")
        let zoe = try chat.ask(GetUser(userID: "zoe"), as: .server).user
        #expect(zoe.nickname == "Zoe" && zoe.isActive == false)
        #expect(chat.state.users["zoe"]?.lastSeenAt == Self.then && chat.state.users["zoe"]?.push == .off)
        #expect(chat.state.users["zoe"]?.autoAcceptInvitations == false)
    }

    @Test func `PR3: members who do not see earlier messages see those from when they joined`() throws {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = try chat(settings: settings)
        var late = member(bob)
        late.member?.joinedAt = Self.then + 10
        try add([channel(), member(ann), late, message("1"), message("2", at: 10)], at: 1, to: &chat)
        try chat.run(Self.finish, as: .server)
        func texts(_ user: UserID) throws -> [String?] {
            try chat.ask(ListMessages(channelID: "old", limit: 9), as: .user(user)).messages.map(\.text)
        }
        #expect(try texts(ann) == ["text 1", "text 2"])
        #expect(try texts(bob) == ["text 2"])
    }

    @Test func `PR3: the id of a hidden channel is taken, and becomes free when the import is discarded`() throws {
        var chat = try chat()
        try add(history, at: 1, to: &chat)
        #expect(chat.refusal(of: CreateChannel(id: "old"), as: .user(ann)) == .duplicateChannelID)
        try chat.run(BeginImport(importID: "j", source: "old"), as: .server)
        #expect(
            refusal(of: AddImportLines(importID: "j", firstLine: 1, lines: [channel()]), in: &chat)
                == Rejection(.duplicateChannelID, "line 1: channel old"))
        #expect(try chat.run(FinishImport(importID: "i", discard: true), as: .server).import.state == .discarded)
        #expect(chat.state.imports.membershipCount(of: ann) == 0)
        try chat.run(AddImportLines(importID: "j", firstLine: 1, lines: [channel()]), as: .server)
        try chat.run(FinishImport(importID: "j"), as: .server)
        #expect(try messages(&chat).isEmpty)
    }

    @Test func `PR3: a distinct channel stays distinct unless there is one with its members`() throws {
        var chat = try chat()
        try chat.run(CreateChannel(userIDs: [bob], isDistinct: true), as: .user(ann))
        try add(
            [
                channel { $0.isDistinct = true }, member(ann), member(bob),
                channel("two") { $0.isDistinct = true }, member(ann, of: "two"), member(cat, of: "two"),
                channel("too") { $0.isDistinct = true }, member(ann, of: "too"), member(cat, of: "too"),
            ], at: 1, to: &chat)
        try chat.run(Self.finish, as: .server)
        var distinct: [Bool] = []
        for id: ChannelID in ["old", "two", "too"] {
            distinct.append(try chat.ask(GetChannel(channelID: id), as: .server).channel.isDistinct)
        }
        #expect(distinct == [false, false, true])
        #expect(try chat.run(CreateChannel(userIDs: [cat], isDistinct: true), as: .user(ann)).channel.id == "too")
    }

    @Test func `PR3: a large import is opened in several steps, and accepts no lines meanwhile`() throws {
        var chat = try chat()
        let ids = (0..<250).compactMap { ChannelID("c\(1_000 + $0)") }
        try add(ids.map { channel($0) }, at: 1, to: &chat)
        let first = try chat.run(Self.finish, as: .server).import
        #expect(first.state == .finishing && first.settledChannelCount == FieldLimits.channelsSettledAtOnce)
        #expect(
            refusal(of: [channel()], at: 251, in: &chat)
                == Rejection(.invalidValue, "import_id: the import is finishing"))
        #expect(
            refusal(of: FinishImport(importID: "i", discard: true), in: &chat)
                == Rejection(.invalidValue, "discard: the import is finishing"))
        try chat.run(Self.finish, as: .server)
        try chat.restart()
        let last = try chat.run(Self.finish, as: .server).import
        #expect(last.state == .finished && last.settledChannelCount == 250 && last.endedAt != nil)
        let count = chat.records.count
        try chat.run(Self.finish, as: .server)
        #expect(chat.records.count == count && chat.state.channelCount == 250)
    }

    @Test func `PR3: an import continues after a restart from a snapshot as if there had been none`() throws {
        for cut in history.indices.dropFirst() {
            var whole = try chat()
            var halved = try chat()
            try add(Array(history[..<cut]), at: 1, to: &whole)
            try add(Array(history[..<cut]), at: 1, to: &halved)
            try halved.restart()
            try add(Array(history[cut...]), at: cut + 1, to: &whole)
            try add(Array(history[cut...]), at: cut + 1, to: &halved)
            try halved.restart()
            try whole.run(Self.finish, as: .server)
            try halved.run(Self.finish, as: .server)
            let people = [ann, bob, cat]
            #expect(
                whole.state.snapshot(users: people, channels: ["old"])
                    == halved.state.snapshot(users: people, channels: ["old"]), "cut at \(cut)")
        }
    }
}
