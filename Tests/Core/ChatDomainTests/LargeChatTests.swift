import ChatDomain
import ChatModel
import TestSupport
import Testing

/// A command is one frame that is never split, so its effects must be bounded.
@Suite struct LargeChatTests {
    private func people(_ count: Int, _ prefix: String = "m") -> [UserID] {
        (0..<count).compactMap { UserID("\(prefix)\(1_000 + $0)") }
    }

    @Test func `CH6: user_ids and operator_user_ids of one create command share one limit`() throws {
        let crowd = people(FieldLimits.idsPerCommand + 1)
        var chat = Chat([ann] + crowd)
        var create = CreateChannel(
            id: general, userIDs: Array(crowd.prefix(200)), operatorUserIDs: Array(crowd.dropFirst(200)), isSuper: true)
        #expect(chat.refusal(of: create, as: .user(ann)) == .tooMany)
        create.operatorUserIDs?.removeLast()
        let channel = try chat.run(create, as: .user(ann)).channel
        #expect(channel.memberCount == FieldLimits.idsPerCommand + 1)
    }

    @Test
    func `CH8: a channel's open invitations are limited, and users beyond the limit are listed as refused`() throws {
        let limit = FieldLimits.invitationsPerChannel
        let crowd = people(limit + 1)
        var chat = Chat([ann, bob] + crowd)
        try chat.run(CreateChannel(id: general, isSuper: true), as: .user(ann))
        for user in crowd { try chat.asksBeforeJoining(user) }
        for start in stride(from: 0, to: limit, by: FieldLimits.idsPerCommand) {
            let end = min(limit, start + FieldLimits.idsPerCommand)
            #expect(try chat.invite(Array(crowd[start..<end])).refused.isEmpty)
        }
        let answer = try chat.invite([crowd[limit], bob])
        #expect(answer.refused.map(\.code) == [ErrorCode.tooMany.rawValue] && answer.invited.isEmpty)
        #expect(answer.joined == [bob], "who need not be asked can come")
        try chat.run(DeclineInvitation(channelID: general), as: .user(crowd[0]))
        #expect(try chat.invite([crowd[limit]]).invited == [crowd[limit]])
    }

    @Test func `CH11: a message unhides the channel for everyone, and notifies them in batches`() throws {
        let crowd = people(2 * FieldLimits.unhiddenAtOnce + 10)
        var chat = Chat([ann, bob] + crowd)
        try chat.run(CreateChannel(id: general, userIDs: [bob], isSuper: true), as: .user(ann))
        for start in stride(from: 0, to: crowd.count, by: FieldLimits.idsPerCommand) {
            _ = try chat.invite(Array(crowd[start..<min(crowd.count, start + FieldLimits.idsPerCommand)]))
        }
        for user in crowd { try chat.run(HideChannel(channelID: general), as: .user(user)) }
        chat.forgetWhatWasHeard()
        func state(_ user: UserID) throws -> HiddenState? {
            try chat.ask(GetChannel(channelID: general), as: .user(user)).channel.my?.hiddenState
        }
        func told() -> [UserID] { crowd.filter { chat.heard(by: $0, in: .inbox($0)) == [.channelUnhidden] } }
        try chat.say("one", by: bob)
        #expect(told() == Array(crowd.prefix(FieldLimits.unhiddenAtOnce)))
        for user in [crowd[0], crowd[crowd.count - 1]] {
            #expect(try state(user) == .unhidden)
            #expect(try chat.ask(ListChannels(), as: .user(user)).channels.map(\.id) == [general])
        }
        // For a user who hides the channel again in the meantime, it stays hidden.
        let last = crowd[crowd.count - 1]
        try chat.run(HideChannel(channelID: general, allowAutoUnhide: false), as: .user(last))
        #expect(try state(last) == .hiddenPreventAutoUnhide)
        try chat.say("two", by: bob)
        #expect(told() == Array(crowd.prefix(2 * FieldLimits.unhiddenAtOnce)))
        try chat.say("three", by: bob)
        #expect(told() == crowd.dropLast())
        try chat.say("four", by: bob)
        #expect(chat.lastRecords.count == 1)
        #expect(try state(last) == .hiddenPreventAutoUnhide)
        let users = [ann, last]
        #expect(
            chat.replayed.snapshot(users: users, channels: [general])
                == chat.state.snapshot(users: users, channels: [general]))
    }

    @Test func `US1: many profiles can be changed in one command only if few channels are affected`() throws {
        var chat = Chat([ann, bob])
        chat.settings.channelsPerUser = 100_000
        chat.settings.channelsPerCreator = 100_000
        for number in 0..<FieldLimits.channelsOfUpsertedUsers / 2 + 1 {
            try chat.create(try #require(ChannelID("c\(number)")), with: [bob])
        }
        let both = UpsertUsers(users: [UpsertUser(id: ann, nickname: "Ann"), UpsertUser(id: bob, nickname: "Bob")])
        #expect(chat.refusal(of: both, as: .server) == .tooMany)
        try chat.run(UpsertUsers(users: [UpsertUser(id: ann, nickname: "Ann")]), as: .server)
        try chat.run(LeaveChannel(channelID: "c1"), as: .user(bob))
        try chat.run(LeaveChannel(channelID: "c2"), as: .user(bob))
        try chat.run(both, as: .server)
    }

    @Test func `U6: one command marks a limited number of channels as read and reports the rest`() throws {
        var chat = Chat([ann, bob])
        let channels = (0...FieldLimits.channelsReadAtOnce).compactMap { ChannelID("c\(1_000 + $0)") }
        for channel in channels {
            try chat.create(channel, with: [bob])
            try chat.say("hello", in: channel)
        }
        let first = try chat.run(MarkAllRead(), as: .user(bob)).unread
        #expect(chat.lastRecords.count == FieldLimits.channelsReadAtOnce && first.unreadChannelCount == 1)
        let left = try chat.ask(GetChannel(channelID: channels[channels.count - 1]), as: .user(bob)).channel
        #expect(left.my?.unreadCount == 1)
        #expect(try chat.run(MarkAllRead(), as: .user(bob)).unread.unreadChannelCount == 0)
        try chat.run(MarkAllRead(), as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `L1: when many users stop typing simultaneously, members are notified in several passes`() throws {
        let count = TypingTable.endsAtOnce + 1
        var chat = Chat([ann])
        chat.step = 0
        let channels = (0..<count).compactMap { ChannelID("c\($0)") }
        for channel in channels {
            try chat.create(channel)
            try chat.signal(StartTyping(channelID: channel), as: .user(ann))
        }
        chat.forgetWhatWasHeard()
        chat.now += TypingTable.milliseconds
        chat.expire()
        #expect(chat.heard(by: ann).count == TypingTable.endsAtOnce)
        #expect(chat.live.typing.nextEnd == chat.now)
        chat.expire()
        #expect(chat.heard(by: ann).count == count && chat.live.typing.isEmpty)
        #expect(chat.live.typing.nextEnd == nil)
    }

    @Test func `L1: starting and stopping typing repeatedly does not grow a queue`() throws {
        var chat = Chat([ann])
        chat.step = 0
        try chat.create()
        var refused = false
        for _ in 0...2 * TypingTable.limit where !refused {
            refused = chat.refusal(of: StartTyping(channelID: general), as: .user(ann)) == .tooManyRequests
            _ = chat.refusal(of: StopTyping(channelID: general), as: .user(ann))
            chat.forgetWhatWasHeard()
        }
        #expect(refused)
        chat.now += TypingTable.milliseconds
        while chat.live.typing.nextEnd != nil { chat.expire() }
        #expect(chat.refusal(of: StartTyping(channelID: general), as: .user(ann)) == nil)
    }

    @Test
    func `US6: when users in many channels disconnect simultaneously, members are notified in several passes`() throws {
        var chat = Chat([ann, bob, cat])
        chat.settings.channelsPerUser = 100_000
        chat.settings.channelsPerCreator = 100_000
        chat.settings.presenceGraceMilliseconds = 1_000
        for number in 0..<PresenceTable.channelsAtOnce {
            try chat.create(try #require(ChannelID("c\(number)")), with: [bob])
        }
        try chat.create(by: cat)
        chat.connect(ann, bob, cat)
        for user in [ann, bob, cat] { chat.disconnect(user) }
        chat.now += 1_000
        chat.depart()
        #expect(chat.live.presence.isOnline(bob) && !chat.live.presence.isOnline(ann))
        chat.depart()
        #expect(!chat.live.presence.isOnline(bob) && chat.live.presence.isOnline(cat))
        chat.depart()
        #expect(chat.live.presence.nextDeparture == nil)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `T4: a thread lists the users with the most replies after any replies and deletions`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let crowd = people(9)
        var chat = Chat([ann] + crowd)
        try chat.create(with: crowd)
        let parent = try chat.say("parent")
        var replies: [(id: MessageID, user: UserID)] = []
        for _ in 0..<200 {
            if !replies.isEmpty, Int.random(in: 0..<5, using: &random) < 2 {
                let gone = replies.remove(at: Int.random(in: replies.indices, using: &random))
                try chat.run(DeleteMessage(channelID: general, messageID: gone.id), as: .server)
            } else {
                let user = random.pick(crowd)
                replies.append((try chat.say("reply", by: user, to: parent.id).id, user))
            }
            var firsts: [UserID] = []
            for reply in replies where !firsts.contains(reply.user) { firsts.append(reply.user) }
            let counts = Dictionary(replies.map { ($0.user, 1) }, uniquingKeysWith: +)
            let best = firsts.enumerated().sorted {
                let (a, b) = (counts[$0.element, default: 0], counts[$1.element, default: 0])
                return a != b ? a > b : $0.offset < $1.offset
            }
            let entry = try chat.ask(
                GetThread(channelID: general, parentMessageID: parent.id, participantLimit: 100), as: .user(ann))
            #expect((entry.thread.mostRepliedUsers ?? []).map(\.id) == best.prefix(4).map(\.element), "seed \(seed)")
            #expect(entry.participants.map(\.id) == [ann] + firsts, "seed \(seed)")
        }
    }
}
