import ChatModel
import Testing

@testable import ChatDomain

/// A channel of ann, its operator, and bob, in which time stands still.
private func begin() throws -> Chat {
    var chat = Chat()
    chat.step = 0
    try chat.createGoverned(isPublic: true)
    return chat
}

private func send(_ text: String = "hi") -> SendMessage { SendMessage(channelID: general, text: text) }

@Suite struct AppBanTests {
    @Test func `MO2: a user banned from the app is disconnected and refused everything until the ban ends`() throws {
        var chat = try begin()
        let ban = try chat.run(BanUser(userID: bob, seconds: 60, description: "spam"), as: .server).sanction
        #expect(ban.user.id == bob && ban.until == chat.now + 60_000 && ban.description == "spam" && ban.by == nil)
        guard case .disconnected(bob) = chat.lastEffects.last else {
            Issue.record("not disconnected")
            return
        }
        chat.now += 59_000
        let refused = Rejection(.bannedFromApp, retryAfterMilliseconds: 1_000)
        #expect(throws: refused) { try chat.run(send(), as: .user(bob)) }
        #expect(throws: refused) { try chat.ask(GetChannel(channelID: general), as: .user(bob)) }
        #expect(throws: refused) { try chat.signal(StartTyping(channelID: general), as: .user(bob)) }
        chat.now += 1_000
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil, "the memberships have stayed")
    }

    @Test func `MO2: a ban without seconds lasts until it is lifted, and the user's inbox gets both events`() throws {
        var chat = try begin()
        #expect(try chat.run(BanUser(userID: bob), as: .server).sanction.until == Sanction.endless)
        #expect(throws: Rejection(.bannedFromApp)) { try chat.run(send(), as: .user(bob)) }
        #expect(chat.refusal(of: CheckActive(userID: bob), as: .server) == .bannedFromApp, "they get no token")
        #expect(try chat.run(UnbanUser(userID: bob), as: .server).user.id == bob)
        // The user is not connected, and recovers the second one later.
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.userBanned])
        #expect(chat.lastRecords.first?.event.rooms == [.inbox(bob)])
        try chat.run(UnbanUser(userID: bob), as: .server)
        #expect(chat.lastRecords.isEmpty)
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil)
    }

    @Test func `MO2: bans and mutes of the app are listed in pages, and expired ones are not`() throws {
        var chat = try begin()
        for user in [ann, bob, cat] {
            try chat.run(BanUser(userID: user, seconds: user == cat ? 1 : nil), as: .server)
            try chat.run(MuteUser(userID: user, seconds: user == ann ? 1 : nil), as: .server)
        }
        chat.now += 1_000
        let first = try chat.ask(ListBannedUsers(limit: 1), as: .server)
        let rest = try chat.ask(ListBannedUsers(limit: 1, next: first.next), as: .server)
        #expect((first.bans + rest.bans).map(\.user.id) == [ann, bob] && rest.next == nil)
        #expect(try chat.ask(ListMutedUsers(), as: .server).mutes.map(\.user.id) == [bob, cat])
        let token = try #require(first.next)
        #expect(chat.refusal(of: ListMutedUsers(limit: 1, next: token), as: .server) == .badRequest)
    }

    @Test func `MO2: an unknown user, a wrong time and a long reason are refused`() throws {
        var chat = try begin()
        #expect(chat.refusal(of: BanUser(userID: "nobody"), as: .server) == .notFound)
        #expect(chat.refusal(of: UnbanUser(userID: "nobody"), as: .server) == .notFound)
        #expect(chat.refusal(of: MuteUser(userID: "nobody"), as: .server) == .notFound)
        for seconds: Int64 in [0, -1, .max, .min] {
            #expect(chat.refusal(of: BanUser(userID: bob, seconds: seconds), as: .server) == .invalidValue)
            #expect(chat.refusal(of: MuteUser(userID: bob, seconds: seconds), as: .server) == .invalidValue)
        }
        let long = String(repeating: "x", count: 1_025)
        #expect(chat.refusal(of: BanUser(userID: bob, description: long), as: .server) == .tooLong)
    }

    @Test func `MO2: a restart and a snapshot keep the sanctions of the app`() throws {
        var chat = try begin()
        try chat.run(BanUser(userID: bob, seconds: 60), as: .server)
        try chat.run(MuteUser(userID: cat, description: "loud"), as: .server)
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [chat.replayed, loaded] {
            #expect(state.refusal(of: .user(bob), at: chat.now)?.code == .bannedFromApp)
            #expect(state.refusal(of: .user(bob), at: chat.now + 60_000) == nil)
            #expect(state.moderation.mutes.entry(of: cat, at: chat.now)?.description == "loud")
        }
    }

    @Test func `MO2 L2: a banned user gets no pushes`() throws {
        var chat = try begin()
        try chat.run(RegisterDevice(provider: .fcm, token: "t"), as: .user(bob))
        try chat.run(
            SetWebhook(
                id: "w", url: "https://example.com", events: .types(["push"]), secret: String(repeating: "s", count: 32)
            ),
            as: .server)
        func pushed() throws -> [UserID] {
            try chat.run(send(), as: .user(ann))
            return chat.lastSearches.flatMap { $0.notices(in: chat.state) }.flatMap(\.recipients).map(\.user)
        }
        #expect(try pushed() == [bob])
        try chat.run(BanUser(userID: bob), as: .server)
        #expect(try pushed() == [])
    }
}

@Suite struct AppMuteTests {
    @Test func `MO2: a user muted in the app reads everything and can send nowhere`() throws {
        var chat = try begin()
        let message = try chat.run(send(), as: .user(bob)).message
        try chat.run(MuteUser(userID: bob, seconds: 60), as: .server)
        #expect(chat.heard(by: bob, in: .inbox(bob)).last == .userMuted)
        #expect(chat.refusal(of: send(), as: .user(bob)) == .muted)
        let update = UpdateMessage(channelID: general, messageID: message.id, text: "ho")
        #expect(chat.refusal(of: update, as: .user(bob)) == .muted)
        #expect(chat.refusal(of: CreateChannel(id: "new", name: "insult", userIDs: [ann]), as: .user(bob)) == .muted)
        #expect(chat.refusal(of: StartTyping(channelID: general), as: .user(bob)) == .muted)
        #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(bob)) == nil)
        #expect(chat.refusal(of: DeleteMessage(channelID: general, messageID: message.id), as: .user(bob)) == nil)
        chat.now += 60_000
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil)
    }

    @Test func `MO2: muted_until is the later end of both mutes`() throws {
        var chat = try begin()
        func end() throws -> Int64? {
            try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my?.mutedUntil
        }
        try chat.run(MuteMember(channelID: general, userID: bob, seconds: 10), as: .user(ann))
        #expect(try end() == chat.now + 10_000)
        try chat.run(MuteUser(userID: bob, seconds: 60), as: .server)
        #expect(try end() == chat.now + 60_000)
        try chat.run(UnmuteMember(channelID: general, userID: bob), as: .user(ann))
        #expect(chat.refusal(of: send(), as: .user(bob)) == .muted, "an operator cannot lift the app's mute")
        try chat.run(UnmuteUser(userID: bob), as: .server)
        #expect(try end() == nil)
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil)
    }
}

@Suite struct RemovalTests {
    @Test func `MO2: a removed member loses the room and may join again`() throws {
        var chat = try begin()
        let member = try chat.run(RemoveMember(channelID: general, userID: bob), as: .user(ann)).member
        #expect(member.state == .none && member.bannedUntil == nil)
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberLeft])
        #expect(chat.heard(by: cat).last?.event.by == ann)
        #expect(chat.refusal(of: send(), as: .user(bob)) == .notAMember)
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(bob)) == nil)
    }

    @Test func `MO2: a removed invitation is cancelled, and only operators and the server remove`() throws {
        var chat = try begin()
        try chat.asksBeforeJoining(dan)
        _ = try chat.invite([dan])
        #expect(chat.refusal(of: RemoveMember(channelID: general, userID: dan), as: .user(bob)) == .notAnOperator)
        try chat.run(RemoveMember(channelID: general, userID: dan), as: .server)
        #expect(chat.heard(by: dan, in: .inbox(dan)).last == .invitationCancelled)
        #expect(chat.refusal(of: RemoveMember(channelID: general, userID: dan), as: .user(ann)) == .notAMember)
        #expect(chat.refusal(of: RemoveMember(channelID: general, userID: ann), as: .user(ann)) == .invalidValue)
        #expect(chat.refusal(of: RemoveMember(channelID: general, userID: "nobody"), as: .user(ann)) == .notFound)
    }

    @Test func `MO2: users who are not members can be banned without being notified`() throws {
        var chat = try begin()
        try chat.run(BanMember(channelID: general, userID: dan, seconds: 60), as: .user(ann))
        #expect(chat.heard(by: cat, in: .channel(general)).last == .memberBanned)
        #expect(chat.heard(by: dan).isEmpty)
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(dan)) == .banned)
        #expect(try chat.invite([dan]).refused.map(\.code) == [1003])
        #expect(try chat.ask(ListBanned(channelID: general), as: .user(ann)).bans.map(\.user.id) == [dan])
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        #expect(loaded.channels[general]?.bans.entry(of: dan, at: chat.now)?.isOutsider == true)
        try chat.run(UnbanMember(channelID: general, userID: dan), as: .user(ann))
        #expect(chat.heard(by: cat, in: .channel(general)).last == .memberUnbanned)
        #expect(chat.heard(by: dan).isEmpty)
        #expect(chat.refusal(of: JoinChannel(channelID: general), as: .user(dan)) == nil)
    }
}
