import ChatDomain
import ChatModel
import Testing

private let atOnce = ChatState.guestsLeavingAtOnce

private func guests(_ count: Int) -> [UserID] { (0..<count).map { .guest(7, UInt64($0)) } }

extension Chat {
    /// Returns a chat with ann's public channel, which has bob and the guests as members.
    fileprivate static func crowded(by crowd: [UserID]) throws -> Chat {
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        var chat = Chat([ann, bob], settings: settings)
        try chat.run(
            CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann], isPublic: true, isSuper: true),
            as: .user(ann))
        for guest in crowd {
            try chat.run(AdmitGuest(id: guest, nickname: nil), as: .server)
            chat.meet(guest)
            try chat.run(JoinChannel(channelID: general), as: .user(guest))
        }
        chat.forgetWhatWasHeard()
        return chat
    }

    @discardableResult
    fileprivate mutating func setPublic(_ isPublic: Bool) throws -> Channel {
        try run(UpdateChannel(channelID: general, isPublic: isPublic), as: .user(ann)).channel
    }

    fileprivate func isSame(as other: ChatState, to users: [UserID]) -> Bool {
        other.snapshot(users: users, channels: [general]) == state.snapshot(users: users, channels: [general])
    }
}

@Suite struct FollowUpTests {
    @Test func `CH2: many guests of a channel that becomes private leave in later turns, in id order`() throws {
        let crowd = guests(2 * atOnce + 50)
        var chat = try Chat.crowded(by: crowd)
        #expect(try chat.setPublic(false).memberCount == 2)
        #expect(chat.lastRecords.map(\.event.rooms) == [[.channel(general)]], "the command only marks")
        for turn in 0..<3 {
            #expect(chat.state.hasFollowUps)
            #expect(chat.followUp() == (turn < 2))
            #expect(
                chat.lastRecords.map(\.event)
                    == crowd.dropFirst(turn * atOnce).prefix(atOnce).map { .memberLeft(general, $0) })
        }
        chat.followUp()
        #expect(chat.lastRecords.isEmpty)
        #expect(chat.heard(by: crowd[0], in: .inbox(crowd[0])) == [.memberLeft])
        #expect(chat.heard(by: ann, in: .channel(general)).count == 1 + crowd.count)
        #expect(chat.isSame(as: chat.replayed, to: [ann, crowd[0]]))
    }

    @Test(arguments: [(atOnce, false), (atOnce + 1, true)])
    func `CH2: guests that fit into one turn leave with the command itself`(count: Int, areMany: Bool) throws {
        var chat = try Chat.crowded(by: guests(count))
        try chat.setPublic(false)
        #expect(chat.lastRecords.count == (areMany ? 1 : 1 + count))
        #expect(chat.state.hasFollowUps == areMany)
    }

    @Test func `CH2: a guest whose departure is not yet announced can neither read nor receive anything`() throws {
        let crowd = guests(atOnce + 1)
        var chat = try Chat.crowded(by: crowd)
        let (first, last) = (crowd[0], crowd[atOnce])
        let parent = try chat.say("parent", by: last)
        try chat.say("reply", to: parent.id)
        try chat.run(HideChannel(channelID: general), as: .user(first))
        chat.forgetWhatWasHeard()
        try chat.setPublic(false)
        try chat.say("not for guests, though one hid the channel, and @\(last)")
        try chat.run(UpdateChannel(channelID: general, name: "secret"), as: .user(ann))
        for guest in [first, last] {
            #expect(chat.heard(by: guest).isEmpty)
            #expect(chat.state.standings(of: guest).map(\.room) == [.inbox(guest)])
            #expect(throws: Rejection.self) { try chat.state.standing(of: guest, in: .channel(general)) }
            let me = Caller.user(guest)
            #expect(chat.refusal(of: GetChannel(channelID: general), as: me) == .notFound)
            #expect(chat.refusal(of: ListMessages(channelID: general), as: me) == .notFound)
            #expect(chat.refusal(of: ListMembers(channelID: general), as: me) == .notFound)
            #expect(chat.refusal(of: SendMessage(channelID: general, text: "hello"), as: me) == .notFound)
            let reaction = AddReaction(channelID: general, messageID: parent.id, key: "sob")
            #expect(chat.refusal(of: reaction, as: me) == .notFound)
            #expect(chat.refusal(of: StartTyping(channelID: general), as: me) == .notFound)
            #expect(chat.refusal(of: JoinChannel(channelID: general), as: me) == .notFound)
            #expect(chat.refusal(of: LeaveChannel(channelID: general), as: me) == .notFound)
            #expect(try chat.ask(ListChannels(), as: me).channels.isEmpty)
            #expect(try chat.ask(ListPublicChannels(membership: .joined), as: me).channels.isEmpty)
            #expect(try chat.ask(ListThreads(), as: me).threads.isEmpty)
            #expect(try chat.ask(SearchMessages(query: "reply"), as: me).messages.isEmpty)
            #expect(try chat.ask(GetUnreadCounts(), as: me).unread == UnreadTotals())
        }
        let others = try chat.ask(ListMembers(channelID: general), as: .user(ann)).members
        #expect(others.map(\.user.id) == [ann, bob])
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.memberCount == 2)
        #expect(try chat.invite([last]).refused.map(\.code) == [ErrorCode.notForGuests.rawValue])
    }

    @Test
    func `CH2: a channel cannot become public again while guests are still leaving`() throws {
        let crowd = guests(atOnce + 1)
        var chat = try Chat.crowded(by: crowd)
        try chat.setPublic(false)
        let update = UpdateChannel(channelID: general, isPublic: true)
        let refusal = chat.rejection(of: update, as: .user(ann))
        #expect(refusal?.code == .tooManyRequests && refusal?.retryAfterMilliseconds != nil)
        #expect(refusal?.message.contains("guests are still leaving") == true)
        while chat.followUp() { #expect(chat.refusal(of: update, as: .user(ann)) == .tooManyRequests) }
        try chat.setPublic(true)
        try chat.run(JoinChannel(channelID: general), as: .user(crowd[0]))
        #expect(chat.heard(by: crowd[0], in: .channel(general)) == [.memberJoined])
    }

    @Test func `CH2: a server that restarts while guests leave continues with the next one`() throws {
        let crowd = guests(2 * atOnce + 1)
        var chat = try Chat.crowded(by: crowd)
        try chat.setPublic(false)
        chat.followUp()
        #expect(chat.isSame(as: chat.replayed, to: [ann, crowd[0], crowd[atOnce]]))
        #expect(chat.replayed.followUp() == chat.state.followUp())
        try chat.restart()
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(crowd[atOnce])) == .notFound)
        chat.followUp()
        #expect(chat.lastRecords.map(\.event) == crowd[atOnce..<2 * atOnce].map { .memberLeft(general, $0) })
        chat.followUp()
        #expect(chat.lastRecords.count == 1 && !chat.state.hasFollowUps)
    }

    @Test func `CH2: departing guests who are removed, or whose channel is deleted, leave only once`() throws {
        let crowd = guests(2 * atOnce)
        var chat = try Chat.crowded(by: crowd)
        try chat.setPublic(false)
        chat.apply([.memberLeft(general, crowd[1]), .guestRemoved(crowd[1])])
        chat.followUp()
        #expect(
            chat.lastRecords.map(\.event)
                == ([crowd[0]] + crowd[2...atOnce]).map { .memberLeft(general, $0) })
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(!chat.state.hasFollowUps && chat.state.followUp().isEmpty)
        try chat.create(isPublic: true)
        try chat.run(JoinChannel(channelID: general), as: .user(crowd[2 * atOnce - 1]))
        #expect(chat.isSame(as: chat.replayed, to: [ann, crowd[2 * atOnce - 1]]))
    }

    private func files(_ count: Int, from start: Int = 0) -> [UploadedFile] {
        (start..<start + count).map {
            UploadedFile(
                id: FileID(high: 1, low: UInt64($0)), channel: general, owner: ann, name: "file", size: 10,
                mimeType: "image/png")
        }
    }

    @Test
    func `CH14: the many files of a deleted channel are removed over later turns, in id order`() throws {
        var chat = Chat([ann, bob])
        try chat.create(with: [bob])
        let uploads = files(250)
        chat.apply(uploads.reversed().map { .fileRegistered($0) })
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(chat.removedFiles.isEmpty && chat.lastRecords.count == 1, "the command only marks")
        #expect(chat.refusal(of: GetFile(id: uploads[0].id), as: .server) == .notFound)
        // A new channel with the same id has other files, and is deleted too.
        try chat.create(with: [bob])
        #expect(chat.refusal(of: GetFile(id: uploads[0].id), as: .user(ann)) == .notFound)
        let later = files(101, from: 1_000)
        chat.apply(later.map { .fileRegistered($0) })
        #expect(chat.refusal(of: GetFile(id: later[0].id), as: .user(ann)) == nil)
        try chat.run(DeleteChannel(channelID: general), as: .server)
        for turn in [uploads[0..<100], uploads[100..<200], uploads[200..<250], later[0..<100], later[100..<101]] {
            #expect(chat.state.hasFollowUps && chat.replayed.followUp() == chat.state.followUp())
            chat.followUp()
            #expect(chat.removedFiles == turn.map(\.id))
            #expect(chat.lastRecords.map(\.event) == [.filesForgotten(turn.map(\.id))])
        }
        #expect(!chat.state.hasFollowUps && chat.state.fileIDs.isEmpty && chat.replayed.fileIDs.isEmpty)
    }

    @Test(arguments: [(100, false), (101, true)])
    func `CH14: files that fit into one turn are removed with the command itself`(count: Int, areMany: Bool) throws {
        var chat = Chat([ann])
        try chat.create()
        chat.apply(files(count).map { .fileRegistered($0) })
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(chat.removedFiles.count == (areMany ? 0 : count) && chat.state.hasFollowUps == areMany)
    }

    /// Startup deletes every file in the folder that the chat does not know.
    @Test func `CH14: a server restored from a snapshot no longer knows the files of a deleted channel`() throws {
        var chat = Chat([ann])
        try chat.create()
        chat.apply(files(250).map { .fileRegistered($0) })
        try chat.run(DeleteChannel(channelID: general), as: .server)
        chat.followUp()
        #expect(chat.replayed.fileIDs == Set(files(250).dropFirst(100).map(\.id)))
        let copy = try chat.copied()
        #expect(copy.fileIDs.isEmpty && !copy.hasFollowUps)
        // The journal's later events do not change the restored state.
        for event in [Event.filesForgotten(files(250).suffix(150).map(\.id))] {
            copy.evolve(Record(event: event, at: chat.now, by: nil, positions: []))
        }
        #expect(copy.fileIDs.isEmpty)
    }

    @Test func `the departure of a long-absent guest is announced before the guest is removed`() throws {
        let crowd = guests(atOnce + 1)
        var chat = try Chat.crowded(by: crowd)
        try chat.setPublic(false)
        chat.now += 1_000 * Int64(chat.settings.guests.awaySeconds + 1)
        chat.lookAtGuests()
        #expect(chat.lastRecords.prefix(2).map(\.event) == [.memberLeft(general, crowd[0]), .guestRemoved(crowd[0])])
        while chat.lookAtGuests() {}
        #expect(!chat.state.hasFollowUps && chat.state.guestCount == 0)
    }
}
