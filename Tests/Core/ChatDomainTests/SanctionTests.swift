import ChatDomain
import ChatModel
import Testing

extension Chat {
    @discardableResult
    fileprivate mutating func ban(
        _ user: UserID, by caller: Caller = .user(ann), seconds: Int64? = nil
    ) throws -> Member {
        try run(BanMember(channelID: general, userID: user, seconds: seconds, description: "spam"), as: caller).member
    }

    @discardableResult
    fileprivate mutating func mute(
        _ user: UserID, by caller: Caller = .user(ann), seconds: Int64? = nil
    ) throws -> Member {
        try run(MuteMember(channelID: general, userID: user, seconds: seconds, description: "loud"), as: caller).member
    }

    fileprivate mutating func join(_ user: UserID) -> ErrorCode? {
        refusal(of: JoinChannel(channelID: general), as: .user(user))
    }

    fileprivate mutating func send(_ user: UserID) -> ErrorCode? {
        refusal(of: SendMessage(channelID: general, text: "x"), as: .user(user))
    }
}

/// Covers `ME3`.
@Suite struct BanTests {
    @Test func `ME3: a banned user loses the room before the event, and receives nothing from it afterwards`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let member = try chat.ban(bob, seconds: 60)
        #expect((member.state, member.bannedUntil) == (.none, chat.now + 60_000))
        guard case .lost(bob, .channel(general)) = try #require(chat.lastEffects.first) else {
            Issue.record("the room is lost first")
            return
        }
        try chat.say("they are gone")
        #expect(chat.heard(by: bob).map(\.room) == [.inbox(bob)])
        #expect(chat.heard(by: bob).map(\.event.type) == [.memberBanned])
        #expect(chat.heard(by: bob).last?.event.member?.bannedUntil == member.bannedUntil)
        #expect(chat.heard(by: cat, in: .channel(general)) == [.memberBanned, .messageNew])
        #expect(chat.state.standings(of: bob).map(\.room) == [.inbox(bob)])
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(bob)) == .notFound)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.memberCount == 2)
    }

    @Test
    func `ME3: until a ban expires the user can neither join nor be invited; afterwards both are possible`() throws {
        var chat = Chat()
        chat.step = 0
        try chat.createGoverned(isPublic: true)
        try chat.ban(bob, seconds: 60)
        chat.now += 59_999
        #expect(chat.join(bob) == .banned)
        #expect(chat.send(bob) == .banned)
        #expect(chat.send(dan) == .notAMember)
        let refused = try chat.invite([bob])
        #expect(refused.refused.map(\.code) == [1003] && refused.joined.isEmpty)
        #expect(chat.lastRecords.isEmpty)
        chat.now += 1
        #expect(try chat.invite([bob]).joined == [bob])
        try chat.ban(bob, seconds: 60)
        chat.now += 60_000
        #expect(try chat.ask(ListBanned(channelID: general), as: .user(ann)).bans.isEmpty)
        #expect(chat.join(bob) == nil)
    }

    @Test func `ME3: a ban without seconds lasts until it is lifted`() throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        #expect(try chat.ban(bob).bannedUntil == Sanction.endless)
        chat.now += 1_000 * 3_153_600_000
        #expect(chat.join(bob) == .banned)
        let lifted = try chat.run(UnbanMember(channelID: general, userID: bob), as: .user(ann)).member
        #expect((lifted.state, lifted.bannedUntil) == (.none, nil))
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberBanned, .memberUnbanned])
        #expect(chat.heard(by: cat, in: .channel(general)) == [.memberBanned, .memberUnbanned])
        try chat.run(UnbanMember(channelID: general, userID: bob), as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        #expect(chat.join(bob) == nil)
    }

    @Test func `ME3: an invited user can be banned, which cancels the invitation`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(dan)
        try chat.createGoverned(with: [bob, dan])
        try chat.ban(dan)
        #expect(chat.heard(by: dan, in: .inbox(dan)) == [.invitationCancelled, .memberBanned])
        #expect(chat.refusal(of: AcceptInvitation(channelID: general), as: .user(dan)) == .notFound)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.memberCount == 2)
    }

    @Test func `ME3 CH3: a ban ends the uniqueness of a distinct channel`() throws {
        var chat = Chat()
        try chat.createGoverned(isDistinct: true)
        try chat.ban(bob)
        #expect(chat.heard(by: cat, in: .channel(general)) == [.memberBanned, .channelUpdated])
        #expect(try !chat.ask(GetChannel(channelID: general), as: .user(cat)).channel.isDistinct)
    }

    @Test func `ME3: a banned operator returns as an ordinary member`() throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        try chat.ban(ann, by: .server)
        #expect(chat.heard(by: cat).last?.event.by == nil)
        try chat.run(UnbanMember(channelID: general, userID: ann), as: .server)
        #expect(chat.join(ann) == nil)
        #expect(chat.refusal(of: BanMember(channelID: general, userID: bob), as: .user(ann)) == .notAnOperator)
    }

    @Test func `ME3: a second ban replaces the first, also for a user who has left`() throws {
        var chat = Chat()
        try chat.createGoverned()
        try chat.ban(bob)
        try chat.ban(bob, seconds: 1)
        chat.now += 1_000
        #expect(try chat.invite([bob]).joined == [bob])
    }
}

/// Covers `ME4`.
@Suite struct MuteTests {
    @Test func `ME4: a muted user receives everything and sends nothing until the mute expires`() throws {
        var chat = Chat()
        chat.step = 0
        try chat.createGoverned()
        let retried = SendMessage(channelID: general, text: "before", clientID: "b1")
        try chat.run(retried, as: .user(bob))
        chat.forgetWhatWasHeard()
        #expect(try chat.mute(bob, seconds: 60).mutedUntil == chat.now + 60_000)
        chat.now += 59_999
        #expect(chat.send(bob) == .muted)
        #expect(chat.refusal(of: retried, as: .user(bob)) == nil, "a retry gets its answer all the same (MS3)")
        try chat.say("heard by all")
        #expect(chat.heard(by: bob, in: .channel(general)) == [.memberMuted, .messageNew])
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberMuted])
        let my = try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my
        #expect(my?.mutedUntil == chat.now + 1)
        chat.now += 1
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my?.mutedUntil == nil)
        #expect(try chat.ask(ListMuted(channelID: general), as: .user(ann)).mutes.isEmpty)
        #expect(chat.send(bob) == nil)
    }

    @Test func `ME4: a mute without seconds lasts until it is lifted, and leaving does not end it`() throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        #expect(try chat.mute(bob).mutedUntil == Sanction.endless)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        #expect(chat.join(bob) == nil)
        #expect(chat.send(bob) == .muted)
        try chat.run(UnmuteMember(channelID: general, userID: bob), as: .user(ann))
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberMuted, .memberLeft, .memberJoined, .memberUnmuted])
        #expect(chat.send(bob) == nil)
        try chat.run(UnmuteMember(channelID: general, userID: bob), as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
    }

    /// Regression: the response of a command without changes used the time of the last event.
    @Test func `ME4: an expired mute appears in no response, not even of commands that change nothing`() throws {
        var chat = Chat()
        try chat.createGoverned(with: [bob, cat])
        try chat.run(CreateChannel(id: "pair", userIDs: [bob], isDistinct: true), as: .user(ann))
        try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann))
        try chat.mute(bob, by: .server, seconds: 1)
        try chat.run(MuteMember(channelID: "pair", userID: bob, seconds: 1), as: .server)
        chat.now += 2_000
        let members = try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann)).members
        let asked = try chat.run(InviteToChannel(channelID: general, userIDs: [cat]), as: .user(bob)).channel
        let found = try chat.run(CreateChannel(userIDs: [ann], isDistinct: true), as: .user(bob))
        #expect(chat.lastRecords.isEmpty && !found.created)
        #expect(members.map(\.mutedUntil) == [nil])
        #expect(asked.my?.mutedUntil == nil && found.channel.my?.mutedUntil == nil)
    }

    @Test
    func `ME4 CH10: an operator can be muted, and the mute takes precedence over the freeze in the refusal`() throws {
        var chat = Chat()
        try chat.createGoverned()
        try chat.run(FreezeChannel(channelID: general), as: .user(ann))
        try chat.mute(bob)
        try chat.mute(ann, by: .server)
        #expect(chat.send(ann) == .muted)
        #expect(chat.send(bob) == .muted)
        #expect(chat.send(cat) == .channelFrozen)
        try chat.run(SendMessage(channelID: general, text: "the app may"), as: .server)
    }
}

/// Covers `ME3` and `ME4`.
@Suite struct SanctionTests {
    @Test(
        arguments: [
            (ann, nil), (bob, .notAnOperator), (cat, .invitedNotMember), (dan, .notFound),
        ] as [(UserID, ErrorCode?)])
    func `ME3 ME4: only operators can ban, mute and see the lists`(user: UserID, code: ErrorCode?) throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.createGoverned(with: [bob, cat, eve])
        let caller = Caller.user(user)
        #expect(chat.refusal(of: MuteMember(channelID: general, userID: eve), as: caller) == code)
        #expect(chat.refusal(of: UnmuteMember(channelID: general, userID: eve), as: caller) == code)
        #expect(chat.refusal(of: BanMember(channelID: general, userID: eve), as: caller) == code)
        #expect(chat.refusal(of: UnbanMember(channelID: general, userID: eve), as: caller) == code)
        #expect(chat.refusal(of: ListBanned(channelID: general), as: caller) == code)
        #expect(chat.refusal(of: ListMuted(channelID: general), as: caller) == code)
    }

    @Test(
        arguments: [
            (ann, 1, "", .invalidValue), (dan, 1, "", .notAMember), ("nobody", 1, "", .notFound),
            (bob, 0, "", .invalidValue), (bob, -1, "", .invalidValue), (bob, .max, "", .invalidValue),
            (bob, 3_153_600_001, "", .invalidValue), (bob, 3_153_600_000, "", nil),
            (bob, 1, String(repeating: "x", count: 1_025), .tooLong),
            (bob, 1, String(repeating: "x", count: 1_024), nil),
        ] as [(UserID, Int64, String, ErrorCode?)])
    func `ME3 ME4: user, duration and reason beyond their limits are refused`(
        user: UserID, seconds: Int64, description: String, code: ErrorCode?
    ) throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        let mute = MuteMember(channelID: general, userID: user, seconds: seconds, description: description)
        let ban = BanMember(channelID: general, userID: user, seconds: seconds, description: description)
        #expect(chat.refusal(of: mute, as: .user(ann)) == code)
        // Unlike a mute, a ban also keeps out who is no member.
        #expect(chat.refusal(of: ban, as: .user(ann)) == (code == .notAMember ? nil : code))
    }

    @Test func `ME3 ME4: the lists show user, expiry, reason and author, in pages by nickname`() throws {
        var chat = Chat()
        try chat.createGoverned(with: [bob, cat, dan])
        for user in [dan, cat, bob] { try chat.mute(user, seconds: 60) }
        for user in [dan, cat, bob] { try chat.ban(user, by: .server) }
        let bans = try chat.ask(ListBanned(channelID: general, limit: 2), as: .user(ann))
        #expect(bans.bans.map(\.user.id) == [bob, cat])
        #expect(bans.bans.first?.until == Sanction.endless && bans.bans.first?.by == nil)
        #expect(bans.bans.first?.description == "spam" && bans.bans.first?.at == chat.now)
        let rest = try chat.ask(ListBanned(channelID: general, limit: 2, next: bans.next), as: .user(ann))
        #expect(rest.bans.map(\.user.id) == [dan] && rest.next == nil)
        #expect(chat.refusal(of: ListMuted(channelID: general, next: bans.next), as: .user(ann)) == .badRequest)
        let mutes = try chat.ask(ListMuted(channelID: general), as: .server).mutes
        #expect(mutes.map(\.user.id) == [bob, cat, dan] && mutes.allSatisfy { $0.by == ann })
    }

    @Test func `ME3: expired sanctions are discarded, active ones never`() throws {
        let many = (0..<200).compactMap { UserID("u\($0)") }
        var settings = ChatSettings()
        settings.membersPerChannel = 1_000
        var chat = Chat([ann] + many, settings: settings)
        try chat.createGoverned(with: many)
        for (index, user) in many.enumerated() { try chat.mute(user, seconds: index.isMultiple(of: 2) ? 1 : nil) }
        chat.now += 1_000
        try chat.mute("u0")
        let lasting = Set(many.enumerated().filter { !$0.offset.isMultiple(of: 2) || $0.offset == 0 }.map(\.element))
        var listed: Set<UserID> = []
        var token: String?
        repeat {
            let page = try chat.ask(ListMuted(channelID: general, limit: 100, next: token), as: .user(ann))
            listed.formUnion(page.mutes.map(\.user.id))
            token = page.next
        } while token != nil
        #expect(listed == lasting)
        #expect(
            chat.replayed.snapshot(users: many, channels: [general])
                == chat.state.snapshot(users: many, channels: [general]))
    }
}
