import ChatDomain
import ChatModel
import Testing

/// Covers `CH1`, `CH3`, `CH4`, `CH6` and `US4`.
@Suite struct CreateChannelTests {
    @Test
    func `CH6: the creator becomes a member, and an operator only if named; other named operators are invited`() throws
    {
        var chat = Chat()
        let created = try chat.run(
            CreateChannel(
                id: general, name: "General", userIDs: [bob, ann, bob], operatorUserIDs: [cat], isPublic: true,
                coverURL: "https://a/c.png", data: "{}", customType: "team", metadata: ["k": "v"]), as: .user(ann))
        #expect(created.created)
        let channel = created.channel
        #expect((channel.name, channel.customType, channel.data) == ("General", "team", "{}"))
        #expect((channel.coverURL, channel.metadata) == ("https://a/c.png", ["k": "v"]))
        #expect(channel.isPublic && !channel.isDistinct && !channel.isSuper)
        #expect((channel.memberCount, channel.joinedMemberCount, channel.createdBy) == (3, 3, ann))
        #expect(channel.my?.state == .joined && channel.my?.role == .member && channel.my?.joinedAt == chat.now)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(cat)).channel.my?.role == .operator)
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my?.role == .member)
    }

    @Test func `CH6: a creator named as an operator becomes one`() throws {
        var chat = Chat()
        let channel = try chat.run(CreateChannel(operatorUserIDs: [ann]), as: .user(ann)).channel
        #expect(channel.my?.role == .operator && channel.memberCount == 1)
        #expect(channel.id.rawValue.hasPrefix("c-"))
    }

    @Test func `CH6: the server creates a channel without becoming a member`() throws {
        var chat = Chat()
        let channel = try chat.run(CreateChannel(id: general, userIDs: [ann]), as: .server).channel
        #expect((channel.createdBy, channel.memberCount, channel.my) == (nil, 1, nil))
        #expect(try chat.membership(of: ann) == .joined)
    }

    @Test func `CH6: a setting lets only the server create channels`() throws {
        var chat = Chat()
        chat.settings.usersCreateChannels = false
        #expect(chat.refusal(of: CreateChannel(), as: .user(ann)) == .creationDisabled)
        #expect(chat.refusal(of: CreateChannel(), as: .server) == nil)
    }

    @Test func `CH6: an id in use is refused, even if its channel is private and hidden from the creator`() throws {
        var chat = Chat()
        try chat.create(by: bob)
        #expect(chat.refusal(of: CreateChannel(id: general), as: .user(ann)) == .duplicateChannelID)
        #expect(chat.refusal(of: CreateChannel(userIDs: ["nobody"]), as: .user(ann)) == .notFound)
        #expect(chat.lastRecords.isEmpty)
    }

    @Test(
        arguments: [
            (CreateChannel(name: String(repeating: "é", count: 200)), nil),
            (CreateChannel(name: String(repeating: "é", count: 201)), .tooLong),
            (CreateChannel(name: "\u{2066}x"), .invalidValue),
            (CreateChannel(coverURL: String(repeating: "u", count: 2_049)), .tooLong),
            (CreateChannel(data: String(repeating: "d", count: 8_192)), nil),
            (CreateChannel(data: String(repeating: "d", count: 8_193)), .tooLong),
            (CreateChannel(customType: String(repeating: "t", count: 128)), nil),
            (CreateChannel(customType: String(repeating: "t", count: 129)), .tooLong),
            (CreateChannel(metadata: keys(51)), .tooMany),
            (CreateChannel(userIDs: Array(repeating: ann, count: 250)), nil),
            (CreateChannel(userIDs: Array(repeating: ann, count: 251)), .tooMany),
            (CreateChannel(operatorUserIDs: Array(repeating: ann, count: 251)), .tooMany),
        ] as [(CreateChannel, ErrorCode?)])
    func `channel fields beyond their limits are refused`(request: CreateChannel, refusal: ErrorCode?) {
        var chat = Chat()
        #expect(chat.refusal(of: request, as: .user(ann)) == refusal)
    }

    // MARK: CH4

    @Test func `CH4: a channel cannot be both super and distinct`() {
        var chat = Chat()
        #expect(
            chat.refusal(of: CreateChannel(isDistinct: true, isSuper: true), as: .user(ann)) == .distinctSuperConflict)
        #expect(chat.refusal(of: CreateChannel(isDistinct: false, isSuper: true), as: .user(ann)) == nil)
    }

    @Test(
        arguments: [(false, 2, nil), (false, 3, .memberLimit), (true, 3, nil), (true, 4, .memberLimit)]
            as [(Bool, Int, ErrorCode?)])
    func `CH4: a channel's kind limits its total number of users`(isSuper: Bool, others: Int, refusal: ErrorCode?) {
        var chat = Chat()
        chat.settings.membersPerChannel = 3
        chat.settings.membersPerSuperChannel = 4
        let people = Array([bob, cat, dan, eve].prefix(others))
        #expect(chat.refusal(of: CreateChannel(userIDs: people, isSuper: isSuper), as: .user(ann)) == refusal)
        let byServer = CreateChannel(userIDs: people + [ann], isSuper: isSuper)
        #expect(chat.refusal(of: byServer, as: .server) == refusal)
    }

    @Test func `CH4: an open invitation reserves a place that neither joins nor later invitations can take`() throws {
        var chat = Chat()
        chat.settings.membersPerChannel = 3
        try chat.asksBeforeJoining(bob)
        try chat.create(with: [bob], isPublic: true)
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(dan)) == .memberLimit)
        let answer = try chat.invite([dan, bob])
        #expect(answer.refused.map(\.code) == [1014, 1010])
        try chat.run(AcceptInvitation(channelID: general), as: .user(bob))
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        let second = try chat.invite([dan, eve])
        #expect(second.joined == [dan])
        #expect(second.refused.map(\.userID) == [eve])
    }

    // MARK: US4

    @Test func `US4: no user can create or join a channel beyond the channel limit`() throws {
        var chat = Chat()
        chat.settings.channelsPerUser = 1
        try chat.create(by: ann, isPublic: true)
        #expect(chat.refusal(of: CreateChannel(), as: .user(ann)) == .channelLimit)
        try chat.create("other", by: bob, isPublic: true)
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(bob)) == .channelLimit)
        try chat.run(LeaveChannel(channelID: "other"), as: .user(bob))
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(bob)) == nil)
    }

    @Test func `US4: the invitation of a named user at the channel limit is cancelled`() throws {
        var chat = Chat()
        chat.settings.channelsPerUser = 1
        try chat.create("bobs", by: bob)
        try chat.create(with: [bob, cat])
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(bob)) == .notFound)
        #expect(try chat.membership(of: cat) == .joined)
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.invitationCancelled])
    }

    // MARK: CH3

    @Test func `CH3: the same set of members finds the same channel, in any order and for any of them`() throws {
        var chat = Chat()
        let first = try chat.run(CreateChannel(userIDs: [bob, cat], isDistinct: true), as: .user(ann))
        #expect(first.created && first.channel.isDistinct)
        for (users, operators, caller) in [
            ([cat, bob], [], Caller.user(ann)), ([ann, cat, cat], [bob], .user(bob)), ([ann], [bob, cat], .server),
        ] as [([UserID], [UserID], Caller)] {
            let again = try chat.run(
                CreateChannel(userIDs: users, operatorUserIDs: operators, isDistinct: true), as: caller)
            #expect(!again.created && again.channel.id == first.channel.id)
            #expect(chat.lastRecords.isEmpty)
        }
        let other = try chat.run(CreateChannel(userIDs: [bob], isDistinct: true), as: .user(ann))
        #expect(other.created && other.channel.id != first.channel.id)
        let ordinary = try chat.run(CreateChannel(userIDs: [bob, cat]), as: .user(ann))
        #expect(ordinary.created && !ordinary.channel.isDistinct)
    }

    @Test(arguments: [false, true])
    func `CH3: a setting makes the custom type part of a distinct channel's identity`(isPart: Bool) throws {
        var chat = Chat()
        chat.settings.distinctByCustomType = isPart
        func request(_ type: String?) -> CreateChannel {
            CreateChannel(userIDs: [ann, bob], isDistinct: true, customType: type)
        }
        let plain = try chat.run(request(nil), as: .user(ann))
        let typed = try chat.run(request("work"), as: .user(ann))
        #expect(typed.created == isPart && (typed.channel.id != plain.channel.id) == isPart)
        #expect(try !chat.run(request("work"), as: .user(bob)).created)
        #expect(try !chat.run(request(nil), as: .user(bob)).created)
    }

    @Test func `CH3: a channel stops being distinct when a new user is invited`() throws {
        var chat = Chat()
        try chat.create(with: [bob], isDistinct: true)
        _ = try chat.invite([bob])
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.isDistinct, "nobody new came")
        _ = try chat.invite([cat])
        #expect(try !chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.isDistinct)
        #expect(try chat.run(CreateChannel(userIDs: [bob], isDistinct: true), as: .user(ann)).created)
    }

    @Test func `CH3: a channel stops being distinct when a user leaves or joins`() throws {
        var chat = Chat()
        try chat.create(with: [bob], isDistinct: true)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        #expect(try !chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.isDistinct)
        try chat.create("open", with: [bob], isPublic: true, isDistinct: true)
        try chat.run(JoinChannel(channelID: "open"), as: .user(cat))
        #expect(try !chat.ask(GetChannel(channelID: "open"), as: .user(ann)).channel.isDistinct)
        #expect(chat.heard(by: ann, in: .channel("open")).suffix(2) == [.memberJoined, .channelUpdated])
    }

    /// Otherwise the same set of members would lead to a channel that the caller is not in, cannot join and can never
    /// replace.
    @Test func `CH3: a distinct channel is not found by a user who declined an invitation to it`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(bob)
        try chat.create(with: [bob], isDistinct: true)
        try chat.run(DeclineInvitation(channelID: general), as: .user(bob))
        let answer = try chat.run(CreateChannel(userIDs: [ann], isDistinct: true), as: .user(bob))
        #expect(answer.created && answer.channel.my?.state == .joined)
        let again = try chat.run(CreateChannel(userIDs: [bob], isDistinct: true), as: .user(ann))
        #expect(again.channel.id == answer.channel.id)
    }

    @Test func `CH3: a distinct channel is not found by a user whose invitation was cancelled`() throws {
        var chat = Chat()
        chat.settings.channelsPerUser = 1
        try chat.create("bobs", by: bob)
        let first = try chat.create(with: [bob], isDistinct: true)
        #expect(first.memberCount == 1 && !first.isDistinct, "ann and bob are not both in it")
        try chat.run(LeaveChannel(channelID: general), as: .user(ann))
        try chat.run(LeaveChannel(channelID: "bobs"), as: .user(bob))
        let answer = try chat.run(CreateChannel(userIDs: [ann], isDistinct: true), as: .user(bob))
        #expect(answer.created && answer.channel.my?.state == .joined && answer.channel.isDistinct)
    }

    @Test func `CH3: a channel stops being distinct when the channel limit cancels an acceptance`() throws {
        var chat = Chat()
        chat.settings.channelsPerUser = 1
        try chat.asksBeforeJoining(bob)
        try chat.create(with: [bob], isDistinct: true)
        try chat.create("bobs", by: bob)
        #expect(chat.refusal(of: AcceptInvitation(channelID: general), as: .user(bob)) == .channelLimit)
        #expect(try !chat.ask(GetChannel(channelID: general), as: .user(ann)).channel.isDistinct)
    }

    @Test func `CH1: the creator receives the creation as the room's first event`() throws {
        var chat = Chat()
        let channel = try chat.create(with: [bob])
        let heard = chat.heard(by: ann).filter { $0.room == .channel(general) }
        #expect(heard.map(\.event.type) == [.channelCreated, .memberJoined])
        #expect(heard.map(\.offset) == [1, 2])
        #expect(heard.first?.event.channel?.my == nil, "an event is the same for everyone")
        #expect(chat.heard(by: bob, in: .channel(general)) == [.memberJoined])
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberJoined])
        #expect(channel.memberCount == 2)
    }
}
