import ChatDomain
import ChatModel
import Testing

/// Covers `CH2`, `CH7`, `CH8`, `CH9`, `US3` and `US4`.
@Suite struct InvitationTests {
    @Test
    func `US3: invitations are accepted automatically or stay open, as the user prefers, each with its own outcome`()
        throws
    {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.create()
        let answer = try chat.invite([bob, cat, bob, "nobody", ann])
        #expect(answer.joined == [bob])
        #expect(answer.invited == [cat])
        #expect(answer.refused.map(\.userID) == ["nobody", ann])
        #expect(answer.refused.map(\.code) == [1000, 1010])
        #expect((answer.channel.memberCount, answer.channel.joinedMemberCount) == (3, 2))
        #expect(try chat.membership(of: bob) == .joined)
        #expect(try chat.membership(of: cat) == .invited)
    }

    @Test func `CH8: inviter, members and invited user are notified of the invitation and of its result`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.create(with: [bob])
        chat.forgetWhatWasHeard()
        _ = try chat.invite([cat], by: bob)
        let invitedAt = chat.now
        try chat.run(AcceptInvitation(channelID: general), as: .user(cat))
        for member in [ann, bob] {
            #expect(
                chat.heard(by: member, in: .channel(general)) == [
                    .invitationReceived, .invitationAccepted, .memberJoined,
                ])
        }
        #expect(
            chat.heard(by: cat, in: .inbox(cat)) == [.invitationReceived, .invitationAccepted, .memberJoined])
        #expect(chat.heard(by: cat, in: .channel(general)) == [.memberJoined])
        let invitations = chat.heard(by: cat).compactMap(\.event.invitation)
        #expect(invitations.map(\.inviter?.id) == [bob, bob])
        #expect(invitations.map(\.invitee.id) == [cat, cat])
        #expect(invitations.map(\.at) == [invitedAt, invitedAt])
    }

    /// Regression: the event is encoded after the invitation is removed, and used to report the time of the refusal.
    @Test func `CH8: the event for a declined invitation includes when it was sent`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(bob)
        try chat.create(with: [bob])
        let invitedAt = chat.now
        chat.now += 60_000
        try chat.run(DeclineInvitation(channelID: general), as: .user(bob))
        let heard = chat.heard(by: ann).last { $0.event.type == .invitationDeclined }
        #expect(heard?.event.invitation?.at == invitedAt)
        #expect(heard?.event.at == chat.now)
        #expect(heard?.event.by == bob)
    }

    @Test func `CH8: a declined invitation disappears`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(bob)
        try chat.create(with: [bob])
        let channel = try chat.run(DeclineInvitation(channelID: general), as: .user(bob)).channel
        #expect((channel.memberCount, channel.my?.state) == (1, MembershipState.none))
        #expect(chat.refusal(of: AcceptInvitation(channelID: general), as: .user(bob)) == .notFound)
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(bob)) == .notFound)
        #expect(try chat.invite([bob]).invited == [bob], "and may be made anew")
    }

    @Test func `CH8: until they accept, invited users see the channel as invited, without messages`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(bob)
        try chat.create()
        let hello = try chat.say("hello")
        _ = try chat.invite([bob])
        chat.forgetWhatWasHeard()
        try chat.say("still among us")
        let channel = try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel
        #expect(channel.my == MyMembership(state: .invited, role: .member))
        #expect(channel.lastMessage == nil)
        let get = GetMessage(channelID: general, messageID: hello.id)
        let replies = ListReplies(channelID: general, parentMessageID: hello.id)
        #expect(chat.refusal(of: get, as: .user(bob)) == .invitedNotMember)
        #expect(chat.refusal(of: ListMessages(channelID: general), as: .user(bob)) == .invitedNotMember)
        #expect(chat.refusal(of: replies, as: .user(bob)) == .invitedNotMember)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(bob)) == .invitedNotMember)
        #expect(
            chat.refusal(of: InviteToChannel(channelID: general, userIDs: [cat]), as: .user(bob)) == .invitedNotMember)
        #expect(chat.refusal(of: LeaveChannel(channelID: general), as: .user(bob)) == .invitedNotMember)
        #expect(throws: Rejection(.invitedNotMember)) { try chat.state.standing(of: bob, in: .channel(general)) }
        #expect(chat.heard(by: bob).isEmpty)
        try chat.run(AcceptInvitation(channelID: general), as: .user(bob))
        #expect(try chat.texts(for: bob) == ["hello", "still among us"])
    }

    @Test func `CH2: joining a channel accepts an open invitation to it, private or not`() throws {
        for isPublic in [false, true] {
            var chat = Chat()
            try chat.asksBeforeJoining(bob)
            try chat.run(CreateChannel(id: general, operatorUserIDs: [bob], isPublic: isPublic), as: .user(ann))
            let channel = try chat.run(JoinChannel(channelID: general), as: .user(bob)).channel
            #expect(channel.my?.role == .operator)
            #expect(chat.lastRecords.map(\.event.rooms.count) == [2, 2])
            #expect(chat.heard(by: ann, in: .channel(general)).suffix(2) == [.invitationAccepted, .memberJoined])
        }
    }

    @Test(
        arguments: [
            (cat, .alreadyAMember, .alreadyAMember, .alreadyAMember), (bob, nil, nil, nil),
            (dan, .notFound, .notFound, .notFound),
        ] as [(UserID, ErrorCode?, ErrorCode?, ErrorCode?)])
    func `CH2: a private channel can be joined by invitation only`(
        user: UserID, join: ErrorCode?, accept: ErrorCode?, decline: ErrorCode?
    ) throws {
        func begin() throws -> Chat {
            var chat = Chat()
            try chat.asksBeforeJoining(bob)
            try chat.create(with: [bob, cat])
            return chat
        }
        var (first, second, third) = (try begin(), try begin(), try begin())
        #expect(first.refusal(of: JoinChannel(channelID: general), as: .user(user)) == join)
        #expect(second.refusal(of: AcceptInvitation(channelID: general), as: .user(user)) == accept)
        #expect(third.refusal(of: DeclineInvitation(channelID: general), as: .user(user)) == decline)
    }

    @Test func `CH2: any user can join a public channel without an invitation, but only once`() throws {
        var chat = Chat()
        try chat.create(isPublic: true)
        #expect(chat.refusal(of: AcceptInvitation(channelID: general), as: .user(bob)) == .noInvitation)
        #expect(chat.refusal(of: DeclineInvitation(channelID: general), as: .user(bob)) == .noInvitation)
        let joined = try chat.run(JoinChannel(channelID: general), as: .user(bob)).channel
        #expect(joined.my?.state == .joined && joined.my?.role == .member && joined.my?.joinedAt == chat.now)
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(bob)) == .alreadyAMember)
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .server) == .badRequest)
    }

    @Test func `CH7: only members and the server can invite`() throws {
        var chat = Chat()
        try chat.create(isPublic: true)
        try chat.create("closed")
        let invite = InviteToChannel(channelID: general, userIDs: [cat])
        #expect(chat.refusal(of: invite, as: .user(bob)) == .notAMember)
        let closed = InviteToChannel(channelID: "closed", userIDs: [cat])
        #expect(chat.refusal(of: closed, as: .user(bob)) == .notFound)
        #expect(try chat.run(closed, as: .server).joined == [cat])
        #expect(chat.heard(by: ann).last?.event.by == nil)
        #expect(chat.refusal(of: InviteToChannel(channelID: general, userIDs: []), as: .user(ann)) == .invalidValue)
        let many = (0..<251).map { UserID(stringLiteral: "u\($0)") }
        let tooMany = InviteToChannel(channelID: general, userIDs: many)
        #expect(chat.refusal(of: tooMany, as: .user(ann)) == .tooMany)
        #expect(
            chat.refusal(of: InviteToChannel(channelID: general, userIDs: Array(many.dropLast())), as: .user(ann))
                == nil)
    }

    // MARK: US4

    @Test
    func `US4: an invitation to a user at the channel limit is listed as refused and announced as cancelled`() throws {
        var chat = Chat()
        chat.settings.channelsPerUser = 1
        try chat.create("bobs", by: bob)
        try chat.create()
        chat.forgetWhatWasHeard()
        let answer = try chat.invite([bob, cat])
        #expect(answer.joined == [cat])
        #expect(answer.refused == [.init(userID: bob, code: 1013, message: "channel limit")])
        #expect(chat.heard(by: ann, in: .channel(general)) == [.invitationCancelled, .memberJoined])
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.invitationCancelled])
        #expect(chat.heard(by: bob).first?.event.invitation?.inviter?.id == ann)
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(bob)) == .notFound)
    }

    @Test func `US4: accepting an older invitation at the channel limit is refused and cancels it`() throws {
        for joins in [false, true] {
            var chat = Chat()
            chat.settings.channelsPerUser = 1
            try chat.asksBeforeJoining(bob)
            try chat.create(with: [bob])
            let invitedAt = chat.now
            try chat.create("bobs", by: bob)
            chat.now += 5_000
            chat.forgetWhatWasHeard()
            let refusal =
                joins
                ? chat.refusal(of: JoinChannel(channelID: general), as: .user(bob))
                : chat.refusal(of: AcceptInvitation(channelID: general), as: .user(bob))
            #expect(refusal == .channelLimit)
            #expect(chat.heard(by: ann, in: .channel(general)) == [.invitationCancelled])
            #expect(chat.heard(by: bob, in: .inbox(bob)) == [.invitationCancelled])
            #expect(chat.heard(by: ann).first?.event.invitation?.at == invitedAt)
            #expect(try chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.memberCount == 1)
            #expect(chat.refusal(of: AcceptInvitation(channelID: general), as: .user(bob)) == .notFound)
        }
    }

    @Test func `US4: a user at the limit of open invitations gets no more of them, and everyone is notified`() throws {
        var chat = Chat()
        chat.settings.invitationsPerUser = 2
        try chat.asksBeforeJoining(bob)
        for id in ["one", "two"] as [ChannelID] { try chat.create(id, by: dan, with: [bob]) }
        try chat.create()
        chat.forgetWhatWasHeard()
        let answer = try chat.invite([bob, cat])
        #expect(answer.joined == [cat] && answer.invited.isEmpty)
        #expect(answer.refused == [.init(userID: bob, code: 1031, message: "too many: open invitations: at most 2")])
        #expect(chat.heard(by: ann, in: .channel(general)) == [.invitationCancelled, .memberJoined])
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.invitationCancelled])
        #expect(answer.channel.memberCount == 2)
        try chat.run(DeclineInvitation(channelID: "one"), as: .user(bob))
        #expect(try chat.invite([bob]).invited == [bob], "one that is answered makes room")
        try chat.run(AcceptInvitation(channelID: "two"), as: .user(bob))
        try chat.create("three", with: [bob])
        #expect(try chat.membership(of: bob, in: "three") == .invited)
        try chat.create("four", with: [bob])
        #expect(chat.refusal(of: GetChannel(channelID: "four"), as: .user(bob)) == .notFound, "nor by a new channel")
    }

    @Test(arguments: [(1, 1), (9, 9), (10, 10), (79, 10), (80, 10), (96, 12)])
    func `US4: one inviter can fill only a share of a user's open invitations`(limit: Int, share: Int)
        throws
    {
        var chat = Chat()
        chat.settings.invitationsPerUser = limit
        chat.settings.creationsAtOnce = 1_000
        try chat.asksBeforeJoining(bob)
        for number in 0..<share { try chat.create(ChannelID(stringLiteral: "lure-\(number)"), by: dan, with: [bob]) }
        try chat.create("one-more", by: dan)
        let message =
            limit == share
            ? "too many: open invitations: at most \(limit)"
            : "too many: open invitations by one user: at most \(share)"
        let refusals = try chat.invite([bob], to: "one-more", by: dan).refused
        #expect(refusals == [.init(userID: bob, code: 1031, message: message)])
        guard limit > share else { return }
        try chat.create()
        #expect(try chat.invite([bob]).invited == [bob], "others still invite them")
        #expect(try chat.run(InviteToChannel(channelID: "one-more", userIDs: [bob]), as: .server).invited == [bob])
        try chat.run(DeclineInvitation(channelID: "lure-0"), as: .user(bob))
        try chat.create("another", by: dan)
        #expect(try chat.invite([bob], to: "another", by: dan).invited == [bob], "one that is answered makes room")
    }

    @Test
    func `US4: a user who joins automatically is not subject to the invitation limit; each limit has its own outcome`()
        throws
    {
        var chat = Chat()
        chat.settings.invitationsPerUser = 1
        try chat.asksBeforeJoining(bob)
        try chat.create("one", by: dan, with: [bob])
        try chat.run(UpdatePreferences(autoAcceptInvitations: true), as: .user(bob))
        try chat.create()
        #expect(try chat.invite([bob]).joined == [bob])
        try chat.run(UpdatePreferences(autoAcceptInvitations: false), as: .user(bob))
        chat.settings.channelsPerUser = 1
        try chat.create("two", by: cat)
        #expect(try chat.invite([bob], to: "two", by: cat).refused.map(\.code) == [1013])
    }

    // MARK: CH9

    @Test func `CH9: a user who has left a channel receives none of its events`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        chat.forgetWhatWasHeard()
        let channel = try chat.run(LeaveChannel(channelID: general), as: .user(bob)).channel
        #expect(channel.my?.state == MembershipState.none)
        #expect(chat.lastEffects.count == 2)
        guard case .lost(bob, .channel(general)) = chat.lastEffects[0] else {
            Issue.record("the loss stands before the event")
            return
        }
        try chat.say("bob is gone")
        #expect(chat.heard(by: bob, in: .channel(general)).isEmpty)
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberLeft], "their own devices are told")
        #expect(chat.heard(by: cat, in: .channel(general)) == [.memberLeft, .messageNew])
        #expect(chat.refusal(of: ListMessages(channelID: general), as: .user(bob)) == .notFound)
        #expect(chat.refusal(of: LeaveChannel(channelID: general), as: .user(bob)) == .notFound)
        #expect(chat.state.standings(of: bob).map(\.room) == [.inbox(bob)])
        #expect(throws: Rejection(.notFound, "channel")) { try chat.state.standing(of: bob, in: .channel(general)) }
    }

    @Test func `CH9: a user who left a public channel is not a member and can rejoin`() throws {
        var chat = Chat()
        try chat.create(with: [bob], isPublic: true)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(bob)) == .notAMember)
        #expect(chat.refusal(of: LeaveChannel(channelID: general), as: .user(bob)) == .notAMember)
        #expect(throws: Rejection(.notAMember)) { try chat.state.standing(of: bob, in: .channel(general)) }
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        #expect(chat.heard(by: bob, in: .channel(general)).last == .memberJoined)
    }

    @Test func `an inbox is visible only to its owner`() {
        let chat = Chat()
        #expect(throws: Rejection(.permissionDenied)) { try chat.state.standing(of: ann, in: .inbox(bob)) }
        #expect(throws: Rejection(.permissionDenied)) { try chat.state.standing(of: ann, in: .inbox("nobody")) }
        #expect(throws: Never.self) { try chat.state.standing(of: ann, in: .inbox(ann)) }
    }
}
