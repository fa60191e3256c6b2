import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// `US6`, and the presence shown by `US5` and `ME1`.
@Suite struct PresenceTests {
    /// Returns a chat in which ann, bob and cat share general, dan and eve are strangers, and everyone but bob is
    /// online.
    private func begin(grace: Int = 0, members: Int = 100) throws -> Chat {
        var settings = ChatSettings()
        settings.presenceGraceMilliseconds = grace
        settings.presenceMembers = members
        var chat = Chat(settings: settings)
        try chat.create(with: [bob, cat])
        chat.connect(ann, cat, dan, eve)
        chat.forgetWhatWasHeard()
        return chat
    }

    private func told(_ chat: Chat, _ user: UserID = ann) -> [Presence] {
        chat.heard(by: user).filter { $0.event.type == .presenceChanged }.compactMap(\.event.presence)
    }

    @Test func `US6: presence changes reach only users who share a channel with the user`() throws {
        var chat = try begin()
        let records = chat.records.count
        chat.connect(bob)
        let heard = try #require(chat.heard(by: ann).first)
        #expect(heard.room == .channel(general) && heard.offset == 0)
        #expect(heard.event.at == chat.now && heard.event.by == bob)
        #expect(told(chat) == [Presence(userID: bob, online: true)])
        #expect(told(chat, cat) == told(chat))
        chat.disconnect(bob)
        #expect(told(chat).last == Presence(userID: bob, online: false, lastSeenAt: chat.now))
        #expect(told(chat, cat) == told(chat) && told(chat).count == 2)
        for user in [dan, eve] { #expect(chat.heard(by: user).isEmpty) }
        #expect(chat.records.count == records, "nothing of it is kept")
    }

    @Test func `US6: a user with two connections arrives once, and departs when the last one closes`() throws {
        var chat = try begin()
        chat.connect(bob, bob)
        #expect(told(chat).map(\.online) == [true])
        chat.disconnect(bob)
        #expect(told(chat).map(\.online) == [true] && chat.live.presence.isConnected(bob))
        #expect(chat.live.presence.connectedCount == 5)
        chat.disconnect(bob)
        #expect(told(chat).map(\.online) == [true, false] && !chat.live.presence.isConnected(bob))
        chat.disconnect(bob)
        #expect(told(chat).count == 2 && chat.live.presence.connectedCount == 4, "there is none left to end")
        chat.connect(bob)
        #expect(told(chat).map(\.online) == [true, false, true] && told(chat).last?.lastSeenAt != nil)
    }

    @Test(arguments: [(2, 0), (3, 1)]) func `US6: users who share only a channel above the size limit are not notified`(
        members: Int, count: Int
    ) throws {
        var chat = try begin(members: members)
        try chat.create("pair", by: bob, with: [dan])
        chat.connect(bob)
        #expect(told(chat).count == count && told(chat, dan).count == 1)
    }

    @Test func `US6: each small channel is notified once`() throws {
        var chat = try begin()
        for number in 0..<5 {
            try chat.create(try #require(ChannelID("c\(number)")), by: bob, with: [ann, cat])
        }
        chat.forgetWhatWasHeard()
        chat.connect(bob)
        chat.disconnect(bob)
        let changes = Array(repeating: true, count: 6) + Array(repeating: false, count: 6)
        for user in [ann, cat] { #expect(told(chat, user).map(\.online) == changes) }
    }

    @Test func `US6: users who left the channel, were banned or are only invited are not notified`() throws {
        var chat = try begin()
        try chat.asksBeforeJoining(dan)
        _ = try chat.invite([dan])
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        try chat.run(BanMember(channelID: general, userID: ann), as: .server)
        chat.connect(bob)
        for user in [ann, cat, dan] { #expect(told(chat, user).isEmpty) }
        try chat.run(AcceptInvitation(channelID: general), as: .user(dan))
        chat.disconnect(bob)
        #expect(told(chat, dan).map(\.online) == [false])
    }

    // MARK: Grace

    @Test func `US6: a reconnect within the grace period is not reported, and going offline is reported once`() throws {
        var chat = try begin(grace: 2_000)
        chat.connect(bob)
        for _ in 0..<20 {
            chat.disconnect(bob)
            chat.now += 1_000
            chat.depart()
            chat.connect(bob)
        }
        #expect(told(chat).map(\.online) == [true])
        chat.disconnect(bob)
        let left = chat.now
        #expect(chat.live.presence.nextDeparture != nil && !chat.live.presence.isConnected(bob))
        chat.now = left + 1_999
        chat.depart()
        #expect(told(chat).count == 1 && chat.live.presence.isOnline(bob))
        chat.now = left + 2_000
        chat.depart()
        chat.depart()
        #expect(told(chat).dropFirst() == [Presence(userID: bob, online: false, lastSeenAt: left)])
        #expect(chat.live.presence.nextDeparture == nil)
    }

    @Test func `US6: many simultaneous departures are reported in several passes, in order`() throws {
        var chat = try begin(grace: 1_000)
        let crowd = (0..<97).compactMap { UserID("m\($0)") }
        for user in crowd { chat.meet(user) }
        for number in 0..<3 {
            try chat.create(try #require(ChannelID("c\(number)")), with: crowd + [bob, cat])
        }
        let extra = (0..<97).compactMap { UserID("n\($0)") }
        for user in extra { chat.meet(user) }
        try chat.create("extra", with: extra)
        let all = crowd + extra
        for user in all { chat.connect(user) }
        chat.forgetWhatWasHeard()
        for user in all { chat.disconnect(user) }
        chat.now += 1_000
        chat.depart()
        // Departures from the crowd are reported in three channels.
        func gone() -> [UserID] {
            told(chat).map(\.userID).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
        #expect(gone() == Array(all.prefix(PresenceTable.departuresAtOnce)))
        chat.depart()
        #expect(gone() == all && chat.live.presence.nextDeparture == nil)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `US6: after every grace period the last report matches the actual presence`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = try begin(grace: 500)
        let people = [bob, cat]
        var connections: [UserID: Int] = [cat: 1]
        var said: [UserID: Bool] = [cat: true]
        for _ in 0..<300 {
            let user = random.pick(people)
            let count = connections[user] ?? 0
            if count > 0, Bool.random(using: &random) {
                connections[user] = count - 1
                chat.disconnect(user)
            } else if count < 3 {
                connections[user] = count + 1
                chat.connect(user)
            }
            chat.now += Int64.random(in: 0..<400, using: &random)
            chat.depart()
            #expect(chat.live.presence.isConnected(user) == ((connections[user] ?? 0) > 0), "seed \(seed)")
        }
        chat.now += 500
        chat.depart()
        for presence in told(chat) {
            #expect(said[presence.userID, default: false] != presence.online, "no news, seed \(seed)")
            said[presence.userID] = presence.online
        }
        for user in people { #expect(said[user, default: false] == ((connections[user] ?? 0) > 0), "seed \(seed)") }
    }

    // MARK: Where it is shown

    @Test func `US5, ME1: lists and responses show who is online and when they were last seen`() throws {
        var chat = try begin()
        chat.connect(bob)
        chat.disconnect(bob)
        let seen = chat.now
        let users = try chat.ask(ListUsers(userIDs: [ann, bob, "nobody"]), as: .user(dan)).users
        #expect(users.map(\.online) == [true, false] && users.map(\.lastSeenAt) == [nil, seen])
        let all = try chat.ask(ListAllUsers(), as: .server).users
        #expect(all.map(\.online) == [true, false, true, true, true])
        let one = try chat.ask(GetUser(userID: bob), as: .user(dan)).user
        #expect(one.online == false && one.lastSeenAt == seen)
        #expect(try chat.ask(GetUser(), as: .user(ann)).user.online == true)
        let members = try chat.ask(ListMembers(channelID: general), as: .user(ann)).members
        #expect(members.map(\.online) == [true, false, true] && members.map(\.lastSeenAt) == [nil, seen, nil])
        let muted = try chat.run(MuteMember(channelID: general, userID: bob), as: .server).member
        #expect(muted.online == false && muted.lastSeenAt == seen)
        let promoted = try chat.run(AddOperators(channelID: general, userIDs: [cat]), as: .server).members
        #expect(promoted.map(\.online) == [true])
        #expect(try chat.run(UpsertUser(id: bob, nickname: "Bob"), as: .server).user.lastSeenAt == seen)
    }

    @Test func `US6: messages and events omit presence, because they are also read later`() throws {
        var chat = try begin()
        chat.connect(bob)
        chat.forgetWhatWasHeard()
        let message = try chat.say("hello", by: bob)
        #expect(message.user?.online == nil && message.user?.lastSeenAt == nil)
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        try chat.run(UpsertUser(id: bob, nickname: "Bob"), as: .server)
        #expect(chat.heard(by: ann).count == 3)
        for event in chat.heard(by: ann).map(\.event) {
            let users = [event.message?.user, event.member?.user, event.user].compactMap(\.self)
            #expect(users.count == 1 && users.allSatisfy { $0.online == nil } && event.member?.online == nil)
        }
    }

    @Test
    func `US2, US6: a deactivated user is offline immediately, and reported gone when the last connection closes`()
        throws
    {
        var chat = try begin(grace: 60_000)
        chat.connect(bob)
        try chat.run(DeactivateUser(userID: bob), as: .server)
        #expect(try chat.ask(GetUser(userID: bob), as: .user(ann)).user.online == false)
        let members = try chat.ask(ListMembers(channelID: general), as: .user(ann)).members
        #expect(members.map(\.online) == [true, false, true])
        chat.disconnect(bob)
        #expect(told(chat).map(\.online) == [true, false], "there is no grace for them")
    }
}
