import ChatDomain
import ChatModel
import Testing

/// The effects that others can have on a user's list of channels, and their cost (`US4`, `CH6`, `CH7`).
@Suite struct AdditionQuotaTests {
    private func channel(_ number: Int) -> ChannelID { ChannelID(stringLiteral: "c\(number)") }

    /// Returns a chat with a limit of eight channels, of which others can fill six.
    private func begin() -> Chat {
        var chat = Chat()
        chat.settings.channelsPerUser = 8
        return chat
    }

    @Test(arguments: [false, true])
    func `US4: others can add a user to at most three quarters of the user's channel limit`(byInvitation: Bool) throws {
        var chat = begin()
        for number in 0..<8 {
            // Each creator is a different user, none of whom is at a limit.
            let creator = [bob, cat, dan, eve][number % 4]
            try chat.create(channel(number), by: creator, with: byInvitation ? [] : [ann])
            if byInvitation {
                let answer = try chat.invite([ann], to: channel(number), by: creator)
                #expect(answer.joined == (number < 6 ? [ann] : []))
                guard number >= 6 else { continue }
                #expect(
                    answer.refused == [
                        .init(
                            userID: ann, code: 1013,
                            message: "channel limit: other users can add them to at most 6 channels")
                    ])
            }
            #expect((try? chat.membership(of: ann, in: channel(number))) == (number < 6 ? .joined : nil))
        }
        #expect(chat.heard(by: ann, in: .inbox(ann)).suffix(2) == [.invitationCancelled, .invitationCancelled])
        #expect(try chat.run(AddMembers(channelID: channel(6), userIDs: [ann]), as: .server).joined == [ann])
        #expect(try chat.run(InviteToChannel(channelID: channel(7), userIDs: [ann]), as: .server).joined == [ann])
        try chat.create("ninth", by: bob, isPublic: true)
        #expect(chat.refusal(of: JoinChannel(channelID: "ninth"), as: .user(ann)) == .channelLimit)
        #expect(chat.refusal(of: CreateChannel(id: "own"), as: .user(ann)) == .channelLimit)
        let added = try chat.run(AddMembers(channelID: "ninth", userIDs: [ann]), as: .server)
        #expect(added.refused.map(\.code) == [1013])
    }

    @Test
    func `US4: users without auto-accept can be invited up to that share, and accept up to the limit`() throws {
        var chat = begin()
        try chat.asksBeforeJoining(ann)
        for number in 0..<8 {
            try chat.create(channel(number), by: [bob, cat, dan, eve][number % 4])
            // Ann has joined none of them yet, so all invitations stay open.
            #expect(try chat.invite([ann], to: channel(number), by: [bob, cat, dan, eve][number % 4]).invited == [ann])
        }
        for number in 0..<6 { try chat.run(AcceptInvitation(channelID: channel(number)), as: .user(ann)) }
        try chat.create("late", by: bob)
        #expect(try chat.invite([ann], to: "late", by: bob).refused.map(\.code) == [1013])
        for number in 6..<8 { try chat.run(AcceptInvitation(channelID: channel(number)), as: .user(ann)) }
        #expect(try chat.membership(of: ann, in: channel(7)) == .joined)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (2_000, 1_500)])
    func `US4: the three-quarters share is rounded up`(limit: Int, share: Int) throws {
        var chat = Chat()
        chat.settings.channelsPerUser = limit
        chat.settings.channelsPerCreator = 10_000
        for number in 0..<share {
            try chat.run(CreateChannel(id: channel(number), userIDs: [ann]), as: .server)
        }
        try chat.create("more", by: bob)
        #expect(try chat.invite([ann], to: "more", by: bob).refused.map(\.code) == [1013])
        try chat.run(LeaveChannel(channelID: channel(0)), as: .user(ann))
        #expect(try chat.invite([ann], to: "more", by: bob).joined == [ann])
    }

    // MARK: Channels of one creator

    @Test func `CH6: users can have a limited number of channels they created, the server any number`() throws {
        var chat = Chat()
        chat.settings.channelsPerCreator = 2
        try chat.create("a")
        try chat.create("b", with: [bob], isDistinct: true)
        let refused = CreateChannel(id: "c", isPublic: true)
        #expect(throws: Rejection(.tooMany, "channels of one creator: at most 2")) {
            try chat.run(refused, as: .user(ann))
        }
        #expect(chat.refusal(of: CreateChannel(id: "c"), as: .user(bob)) == nil)
        #expect(chat.refusal(of: CreateChannel(id: "s"), as: .server) == nil)
        let found = try chat.run(CreateChannel(userIDs: [bob], isDistinct: true), as: .user(ann))
        #expect(found.channel.id == "b" && !found.created, "what is found is not created")
        // The channel continues to exist after its creator leaves.
        try chat.run(LeaveChannel(channelID: "a"), as: .user(ann))
        #expect(chat.refusal(of: CreateChannel(id: "d"), as: .user(ann)) == .tooMany)
        try chat.run(DeleteChannel(channelID: "a"), as: .server)
        #expect(chat.refusal(of: CreateChannel(id: "d"), as: .user(ann)) == nil)
        #expect(chat.refusal(of: CreateChannel(id: "e"), as: .user(ann)) == .tooMany)
    }

    @Test func `CH6: the channel quota is the same after a restart`() throws {
        var chat = Chat()
        try chat.create("a")
        try chat.create("b")
        try chat.run(DeleteChannel(channelID: "b"), as: .server)
        var parts: [StatePart] = []
        chat.state.parts { parts.append($0) }
        let restored = ChatState()
        for part in parts { try restored.load(part) }
        for state in [chat.state, chat.replayed, restored] {
            for (quota, isRefused) in [(1, true), (2, false)] {
                var settings = ChatSettings()
                settings.channelsPerCreator = quota
                let context = Context(
                    caller: .user(ann), now: chat.now, freshID: MessageID(high: 1, low: 1), settings: settings)
                let decision = try? CreateChannel(id: "c").decide(in: state, context)
                #expect((decision == nil) == isRefused)
            }
        }
    }

    // MARK: Allowances

    private func context(_ caller: Caller, at now: Int64, _ change: (inout ChatSettings) -> Void = { _ in }) -> Context
    {
        var settings = ChatSettings()
        (settings.additionsAtOnce, settings.additionsPerMinute) = (10, 6)
        (settings.creationsAtOnce, settings.creationsPerMinute) = (2, 60)
        change(&settings)
        return Context(caller: caller, now: now, freshID: MessageID(high: 1, low: 1), settings: settings)
    }

    private func additions(_ count: Int, by user: UserID = ann) -> Decision {
        Decision(
            (0..<count).map { number in
                let other = UserID(stringLiteral: "u\(number)")
                // Users who join immediately, are invited or are at a limit: all are notified.
                return switch number % 3 {
                case 0:
                    .memberJoined(
                        .init(channel: general, user: other, role: .member, invitedBy: user, seesHistory: true))
                case 1: .invited(general, other, by: user, role: .member)
                default: .invitationCancelled(general, other, by: user, invitedAt: 0)
                }
            })
    }

    @Test func `CH7: additions are charged to the user who adds, and the allowance recovers over time`() throws {
        var allowances = UserAllowances()
        let start: Int64 = 1_780_000_000_000
        try allowances.charge(additions(6), context(.user(ann), at: start))
        #expect(throws: Rejection(.tooManyRequests, "users added", retryAfterMilliseconds: 10_000)) {
            try allowances.charge(additions(5), context(.user(ann), at: start))
        }
        // The refused command was not charged.
        try allowances.charge(additions(4), context(.user(ann), at: start))
        try allowances.charge(additions(10, by: bob), context(.user(bob), at: start))
        #expect(throws: Rejection(.tooManyRequests, "users added", retryAfterMilliseconds: 1)) {
            try allowances.charge(additions(1), context(.user(ann), at: start + 9_999))
        }
        try allowances.charge(additions(1), context(.user(ann), at: start + 10_000))
        #expect(throws: Rejection(.tooMany, "users added at once: at most 10"), "no wait is long enough") {
            try allowances.charge(additions(11, by: cat), context(.user(cat), at: start))
        }
        try allowances.charge(additions(10), context(.user(ann), at: start + 1_000_000))
        try allowances.charge(additions(1_000_000), context(.server, at: start))
        #expect(allowances.count == 2)
    }

    @Test func `CH6: channels are charged to their creator; either both charges are made or neither`() throws {
        var allowances = UserAllowances()
        let created = Event.channelCreated(
            .init(
                id: general, epoch: "e", name: "", isPublic: true, isSuper: false, metadata: [:], creator: ann,
                creatorRole: .member))
        let both = Decision([created] + additions(10).events)
        try allowances.charge(both, context(.user(ann), at: 0))
        #expect(throws: Rejection(.tooManyRequests, "users added", retryAfterMilliseconds: 100_000)) {
            try allowances.charge(both, context(.user(ann), at: 0))
        }
        try allowances.charge(Decision([created]), context(.user(ann), at: 0))
        #expect(throws: Rejection(.tooManyRequests, "channels created", retryAfterMilliseconds: 1_000)) {
            try allowances.charge(Decision([created]), context(.user(ann), at: 0))
        }
    }

    @Test func `CH7: users who join or leave by themselves are charged nothing`() throws {
        var allowances = UserAllowances()
        let own = Decision([
            .memberJoined(.init(channel: general, user: ann, role: .member, invitedBy: bob, seesHistory: true)),
            .invitationAccepted(general, ann), .invitationCancelled(general, ann, by: bob, invitedAt: 0),
            .memberLeft(general, ann),
        ])
        for _ in 0..<100 { try allowances.charge(own, context(.user(ann), at: 0)) }
        #expect(allowances.count == 0)
    }

    @Test func `after a limit is lowered, the wait is at most the time to fill the new allowance`() throws {
        var allowances = UserAllowances()
        try allowances.charge(additions(1_000), context(.user(ann), at: 0) { $0.additionsAtOnce = 1_000 })
        #expect(throws: Rejection(.tooManyRequests, "users added", retryAfterMilliseconds: 10_000)) {
            try allowances.charge(additions(1), context(.user(ann), at: 0))
        }
    }

    @Test func `the allowance table is bounded and keeps the users with the longest waits`() throws {
        var allowances = UserAllowances()
        for number in 0...UserAllowances.limit {
            let user = UserID(stringLiteral: "v\(number)")
            try allowances.charge(additions(number == 7 ? 10 : 1, by: user), context(.user(user), at: 0))
        }
        #expect(allowances.count <= UserAllowances.limit)
        #expect(throws: Rejection.self) { try allowances.charge(additions(10, by: "v7"), context(.user("v7"), at: 0)) }
        // By then these entries are fully recovered, so they are evicted first.
        for number in 0...UserAllowances.limit {
            let user = UserID(stringLiteral: "w\(number)")
            try allowances.charge(additions(1, by: user), context(.user(user), at: 1_000_000))
        }
        #expect(allowances.count <= UserAllowances.limit)
    }
}
