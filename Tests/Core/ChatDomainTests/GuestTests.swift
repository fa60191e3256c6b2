import ChatDomain
import ChatModel
import Testing

private let guest = UserID.guest(1, 2)
private let other = UserID.guest(1, 3)

private func welcoming(_ change: (inout GuestSettings) -> Void = { _ in }) -> ChatSettings {
    var settings = ChatSettings()
    settings.guests.isEnabled = true
    settings.guests.awaySeconds = 100
    change(&settings.guests)
    return settings
}

extension Chat {
    @discardableResult
    fileprivate mutating func admit(_ id: UserID = guest, _ nickname: String? = nil) throws -> AdmitGuest.Response {
        try run(AdmitGuest(id: id, nickname: nickname), as: .server)
    }

    /// Returns a chat with ann's public channel, which has the guest as a member.
    fileprivate static func withGuest(_ settings: ChatSettings = welcoming()) throws -> Chat {
        var chat = Chat([ann, bob], settings: settings)
        try chat.admit()
        chat.meet(guest)
        try chat.run(
            CreateChannel(id: general, operatorUserIDs: [ann], isPublic: true), as: .user(ann))
        try chat.run(JoinChannel(channelID: general), as: .user(guest))
        return chat
    }
}

@Suite struct GuestTests {
    @Test func `a guest is created with or without a nickname, and returned`() throws {
        var chat = Chat([ann], settings: welcoming())
        let answer = try chat.admit()
        #expect(answer.user.id == guest && answer.user.isGuest == true && answer.user.nickname == "Guest 0000")
        #expect(try chat.admit(other, "Gus").user.nickname == "Gus")
        #expect(chat.state.guestCount == 2)
        #expect(try chat.ask(GetUser(), as: .user(ann)).user.isGuest == nil)
    }

    @Test(
        arguments: [("", nil), ("a\u{202E}b", .invalidValue), (String(repeating: "n", count: 81), .tooLong)]
            as [(String, ErrorCode?)])
    func `a guest's nickname is validated like any other`(nickname: String, refusal: ErrorCode?) {
        var chat = Chat([], settings: welcoming())
        let admission = AdmitGuest(id: guest, nickname: nickname)
        #expect(chat.refusal(of: admission, as: .server) == refusal)
        #expect(chat.state.person(guest)?.nickname == (refusal == nil ? "Guest 0000" : nil))
    }

    @Test func `a guest is not created while guests are disabled, twice, or with an id of another form`() throws {
        var chat = Chat([ann])
        #expect(chat.refusal(of: AdmitGuest(id: guest, nickname: nil), as: .server) == .featureDisabled)
        chat.settings = welcoming()
        try chat.admit()
        for id in [guest, bob] {
            #expect(chat.refusal(of: AdmitGuest(id: id, nickname: nil), as: .server) == .internal)
        }
        #expect(chat.state.userCount == 2)
    }

    @Test func `the number of guests is limited, and removing one makes room for another`() throws {
        var chat = Chat([ann], settings: welcoming { $0.limit = 1 })
        try chat.admit()
        let second = AdmitGuest(id: other, nickname: nil)
        #expect(chat.refusal(of: second, as: .server) == .tooMany)
        chat.now += 100_000
        chat.lookAtGuests()
        #expect(chat.refusal(of: second, as: .server) == nil)
        #expect(chat.state.guestCount == 1 && chat.state.userCount == 2)
    }

    /// Regression: each pass made the guests of the previous one due again, which wrote a frame every millisecond
    /// indefinitely.
    @Test func `each connected guest is recorded once, even if the sweep takes several turns`() throws {
        var chat = Chat([ann], settings: welcoming { $0.awaySeconds = 86_400 })
        let guests = (0...UInt64(ChatState.guestsPerPass)).map { UserID.guest(3, $0) }
        for guest in guests {
            try chat.admit(guest)
            chat.meet(guest)
            chat.connect(guest)
        }
        for _ in 0..<3 {
            chat.now += Int64(chat.settings.guests.scanMilliseconds)
            var recorded = 0
            for _ in 0..<2 * guests.count / ChatState.guestsAtOnce {
                let isMore = chat.lookAtGuests()
                recorded += chat.lastRecords.count
                chat.now += 1
                guard isMore else { break }
            }
            #expect(recorded == guests.count)
            // Two turns search all guests again.
            #expect(chat.lookAtGuests() && chat.lastRecords.isEmpty)
            #expect(!chat.lookAtGuests() && chat.lastRecords.isEmpty)
        }
    }

    @Test func `no other user can have an id in the guest form, and a token alone creates no guest`() throws {
        var chat = Chat([], settings: welcoming())
        #expect(chat.refusal(of: UpsertUser(id: guest), as: .server) == .invalidValue)
        #expect(chat.refusal(of: UpsertUsers(users: [UpsertUser(id: guest)]), as: .server) == .invalidValue)
        #expect(chat.refusal(of: GetUser(), as: .user(guest)) == .unauthorized)
        try chat.admit()
        #expect(chat.refusal(of: GetUser(), as: .user(guest)) == nil)
        #expect(try chat.run(UpsertUser(id: guest, nickname: "Gus"), as: .server).user.nickname == "Gus")
    }

    @Test func `guests can fill three quarters of a channel; the rest is for registered users and the server`() throws {
        var settings = welcoming()
        settings.membersPerChannel = 8
        var chat = Chat([ann, bob], settings: settings)
        let guests = (0..<8).map { UserID.guest(2, UInt64($0)) }
        for guest in guests {
            try chat.admit(guest)
            chat.meet(guest)
        }
        try chat.run(CreateChannel(id: general, isPublic: true), as: .server)
        for (number, guest) in guests.enumerated() {
            let refusal = chat.refusal(of: JoinChannel(channelID: general), as: .user(guest))
            #expect(refusal == (number < 6 ? nil : .memberLimit))
        }
        try chat.run(JoinChannel(channelID: general), as: .user(ann))
        let invitation = InviteToChannel(channelID: general, userIDs: [guests[6]])
        #expect(try chat.run(invitation, as: .user(ann)).refused.map(\.code) == [1014])
        #expect(try chat.run(invitation, as: .server).joined == [guests[6]])
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(bob)) == .memberLimit, "eight are in it")
        try chat.run(LeaveChannel(channelID: general), as: .user(guests[0]))
        try chat.run(LeaveChannel(channelID: general), as: .user(guests[1]))
        try chat.run(JoinChannel(channelID: general), as: .user(guests[7]))
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(guests[0])) == .memberLimit)
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
    }

    @Test func `CH2: a guest can join public channels only`() throws {
        var chat = try Chat.withGuest()
        try chat.say("hello", by: guest)
        #expect(chat.heard(by: ann).last?.event.message?.user?.isGuest == true)
        try chat.create("shed")
        #expect(try chat.invite([guest], to: "shed").refused.map(\.code) == [ErrorCode.notForGuests.rawValue])
        try chat.run(CreateChannel(id: "hall", operatorUserIDs: [ann], isPublic: true), as: .user(ann))
        #expect(try chat.invite([guest], to: "hall").joined == [guest])
        for create in [
            CreateChannel(userIDs: [guest]), CreateChannel(operatorUserIDs: [guest], isPublic: true),
            CreateChannel(userIDs: [guest], isPublic: true, isDistinct: true),
        ] {
            #expect(chat.refusal(of: create, as: .user(ann)) == .notForGuests)
        }
        #expect(chat.refusal(of: CreateChannel(userIDs: [guest], isPublic: true), as: .user(ann)) == nil)
    }

    @Test func `ME2: a guest is never an operator`() throws {
        var chat = try Chat.withGuest()
        let add = AddOperators(channelID: general, userIDs: [bob, guest])
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        #expect(chat.refusal(of: add, as: .user(ann)) == .notForGuests)
        #expect(chat.refusal(of: add, as: .server) == .notForGuests)
    }

    @Test func `when a channel becomes private its guests leave, and are notified`() throws {
        var chat = try Chat.withGuest()
        chat.forgetWhatWasHeard()
        try chat.run(UpdateChannel(channelID: general, isPublic: false), as: .user(ann))
        #expect(chat.heard(by: guest, in: .inbox(guest)) == [.memberLeft])
        #expect(chat.heard(by: ann, in: .channel(general)) == [.channelUpdated, .memberLeft])
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(guest)) == .notFound)
    }

    @Test func `a guest can send text but not upload files`() throws {
        var chat = try Chat.withGuest()
        let file = SendMessage(channelID: general, text: "https://a/b", kind: .file)
        #expect(chat.refusal(of: file, as: .user(guest)) == .notForGuests)
        #expect(chat.refusal(of: PrepareUpload(channelID: general), as: .user(guest)) == .notForGuests)
    }

    @Test func `US4: a guest can be in at most twenty channels`() throws {
        var chat = Chat([ann], settings: welcoming())
        try chat.admit()
        for number in 0...20 {
            let id = try #require(ChannelID("c\(number)"))
            try chat.create(id, isPublic: true)
            #expect(
                chat.refusal(of: JoinChannel(channelID: id), as: .user(guest)) == (number < 20 ? nil : .channelLimit))
        }
        try chat.create("more", isPublic: true)
        #expect(try chat.invite([guest], to: "more").refused.map(\.code) == [ErrorCode.channelLimit.rawValue])
    }
}

/// Tests of the removal of guests.
@Suite struct GuestDepartureTests {
    @Test func `after a long absence a guest leaves all channels and is removed; their messages stay`() throws {
        var chat = try Chat.withGuest()
        try chat.say("hello", by: guest)
        try chat.run(RevokeTokens(userID: guest), as: .server)
        chat.now += 99_000
        chat.lookAtGuests()
        #expect(chat.lastRecords.isEmpty)
        chat.now += 1_000
        chat.lookAtGuests()
        #expect(chat.lastRecords.map(\.event) == [.memberLeft(general, guest), .guestRemoved(guest)])
        #expect(chat.heard(by: ann).last?.event.type == .memberLeft)
        #expect(chat.endedRooms == [.inbox(guest)])
        #expect(!chat.state.knows(guest) && chat.state.guestCount == 0 && chat.state.tokenRevocations.isEmpty)
        let messages = try chat.ask(ListMessages(channelID: general), as: .user(ann)).messages
        #expect(messages.map(\.user?.nickname) == ["Guest 0000"] && messages[0].user?.isGuest == true)
        #expect(chat.refusal(of: GetUser(), as: .user(guest)) == .unauthorized)
        for state in [chat.replayed, try chat.copied()] {
            #expect(
                state.snapshot(users: [ann, guest], channels: [general])
                    == chat.state.snapshot(users: [ann, guest], channels: [general]))
        }
    }

    @Test func `any activity renews a guest's last-seen time`() throws {
        var chat = try Chat.withGuest()
        chat.now += 60_000
        try chat.say("hello", by: guest)
        chat.now += 60_000
        chat.lookAtGuests()
        #expect(chat.lastRecords.isEmpty && chat.state.knows(guest))
        chat.now += 40_000
        chat.lookAtGuests()
        #expect(!chat.state.knows(guest))
    }

    @Test func `a connected guest is kept, and recorded so that a restart keeps them too`() throws {
        var chat = try Chat.withGuest()
        chat.connect(guest)
        chat.now += 1_000_000
        chat.lookAtGuests()
        #expect(chat.lastRecords.map(\.event) == [.guestSeen(guest)])
        chat.lookAtGuests()
        #expect(chat.lastRecords.isEmpty, "it is so already")
        chat.disconnect(guest)
        chat.now += 99_000
        chat.lookAtGuests()
        #expect(chat.lastRecords.map(\.event) == [.guestSeen(guest)], "they left after they were last seen")
        chat.now += 100_000
        chat.lookAtGuests()
        #expect(!chat.state.knows(guest) && chat.live.presence.lastSeen(guest) == nil)
    }

    @Test func `many guests are removed over several passes, the longest absent first`() throws {
        var chat = Chat([], settings: welcoming())
        let guests = (0..<400).map { UserID.guest(9, $0) }
        for guest in guests { try chat.admit(guest) }
        chat.now += 200_000
        for turn in 1...4 {
            let isMore = chat.lookAtGuests()
            #expect(isMore == (turn < 4))
            let next = guests.dropFirst((turn - 1) * ChatState.guestsAtOnce).prefix(ChatState.guestsAtOnce)
            #expect(chat.lastRecords.map(\.event) == next.map { .guestRemoved($0) })
        }
        #expect(chat.state.guestCount == 0 && chat.state.userCount == 0)
    }

    @Test func `a cleanup turn ends when its guests have left many channels`() throws {
        var chat = Chat([ann], settings: welcoming())
        let guests = (0..<40).map { UserID.guest(9, $0) }
        for guest in guests { try chat.admit(guest) }
        for number in 0..<10 {
            let id = try #require(ChannelID("c\(number)"))
            try chat.create(id, isPublic: true)
            for guest in guests { try chat.run(JoinChannel(channelID: id), as: .user(guest)) }
        }
        chat.now += 200_000
        var counts: [Int] = []
        repeat {
            chat.lookAtGuests()
            counts.append(chat.lastRecords.count)
        } while chat.state.guestCount > 0
        #expect(counts == [253, 187], "23 guests, and 17")
    }

    @Test func `a guest who returns between two cleanup turns is kept`() throws {
        var chat = Chat([], settings: welcoming())
        let guests = (0..<200).map { UserID.guest(9, $0) }
        for guest in guests { try chat.admit(guest) }
        chat.now += 200_000
        chat.lookAtGuests()
        chat.connect(guests[150])
        while chat.lookAtGuests() {}
        #expect(chat.state.guestCount == 1 && chat.state.knows(guests[150]))
    }

    @Test func `a snapshot records who is a guest and when they were last seen`() throws {
        var chat = try Chat.withGuest()
        chat.now += 50_000
        try chat.say("hello", by: guest)
        let copy = try chat.copied()
        #expect(copy.guestCount == 1)
        for away in [99_999, 100_000] as [Int64] {
            let context = Context(
                caller: .server, now: chat.state.lastAt + away, freshID: MessageID(high: 0, low: 0),
                settings: chat.settings)
            #expect(copy.guestsDue(after: nil, context).due.isEmpty == (away < 100_000))
        }
    }
}
