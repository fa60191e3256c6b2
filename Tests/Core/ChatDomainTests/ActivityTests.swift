import ChatDomain
import ChatModel
import Testing

/// Covers `US2`.
@Suite struct ActivityTests {
    private func begin() throws -> Chat {
        var chat = Chat([ann, bob, cat])
        try chat.create(with: [bob], isPublic: true)
        try chat.run(DeactivateUser(userID: bob), as: .server)
        return chat
    }

    @Test func `US2: a deactivated user cannot call commands and appears deactivated to everyone`() throws {
        var chat = try begin()
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(bob)) == .userDeactivated)
        #expect(chat.refusal(of: GetUser(), as: .user(bob)) == .userDeactivated)
        #expect(chat.refusal(of: LeaveChannel(channelID: general), as: .user(bob)) == .userDeactivated)
        #expect(try chat.ask(GetUser(userID: bob), as: .user(ann)).user.isActive == false)
        #expect(try chat.ask(GetUser(userID: ann), as: .user(ann)).user.isActive == true)
        #expect(chat.refusal(of: GetUser(), as: .user(ann)) == nil)
    }

    @Test func `US2: deactivation closes the user's connections, which receive no later events`() throws {
        var chat = try begin()
        let disconnected = chat.lastEffects.compactMap { effect in
            if case .disconnected(let user) = effect { user } else { nil }
        }
        #expect(disconnected == [bob])
        let heard = chat.heard(by: bob).count
        try chat.say("they are gone")
        #expect(chat.heard(by: bob).count == heard)
    }

    @Test func `US2: a reactivated user still has all memberships`() throws {
        var chat = try begin()
        #expect(try chat.ask(ListMembers(channelID: general), as: .user(ann)).members.map(\.user.id) == [ann, bob])
        #expect(try chat.run(ActivateUser(userID: bob), as: .server).user.isActive == true)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "back"), as: .user(bob)) == nil)
        #expect(chat.state.standings(of: bob).map(\.room) == [.inbox(bob), .channel(general)])
    }

    @Test func `US2: deactivating twice changes nothing, and an unknown user cannot be deactivated`() throws {
        var chat = try begin()
        try chat.run(DeactivateUser(userID: bob), as: .server)
        #expect(chat.lastRecords.isEmpty)
        try chat.run(ActivateUser(userID: bob), as: .server)
        #expect(chat.lastRecords.count == 1)
        try chat.run(ActivateUser(userID: bob), as: .server)
        #expect(chat.lastRecords.isEmpty)
        #expect(chat.refusal(of: DeactivateUser(userID: eve), as: .server) == .notFound)
        #expect(chat.refusal(of: ActivateUser(userID: eve), as: .server) == .notFound)
    }

    @Test func `US2: a deactivated user can neither be invited nor be added to a new channel`() throws {
        var chat = Chat([ann, bob, cat])
        try chat.create("pair", with: [bob], isDistinct: true)
        try chat.create()
        try chat.run(DeactivateUser(userID: bob), as: .server)
        let answer = try chat.invite([bob, cat])
        #expect(answer.joined == [cat])
        #expect(answer.refused.map(\.userID) == [bob] && answer.refused.map(\.code) == [1008])
        #expect(chat.refusal(of: CreateChannel(id: "new", userIDs: [bob]), as: .user(ann)) == .userDeactivated)
        #expect(chat.refusal(of: CreateChannel(id: "new", operatorUserIDs: [bob]), as: .user(ann)) == .userDeactivated)
        let again = try chat.run(CreateChannel(userIDs: [bob], isDistinct: true), as: .user(ann))
        #expect(again.channel.id == "pair" && !again.created, "the channel that they have stays to be found")
    }

    @Test func `US2 ME2: a command that names a deactivated user as operator is refused as a whole`() throws {
        var chat = Chat([ann, bob, cat])
        try chat.createGoverned(with: [bob, cat])
        try chat.run(DeactivateUser(userID: bob), as: .server)
        for caller in [Caller.user(ann), .server] {
            let add = AddOperators(channelID: general, userIDs: [cat, bob])
            #expect(chat.refusal(of: add, as: caller) == .userDeactivated)
            #expect(chat.lastRecords.isEmpty)
        }
        #expect(throws: Rejection(.userDeactivated, "user bob")) {
            try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann))
        }
        try chat.run(ActivateUser(userID: bob), as: .server)
        #expect(chat.refusal(of: AddOperators(channelID: general, userIDs: [cat, bob]), as: .user(ann)) == nil)
    }

    @Test func `US2 ME2 ME3 ME4: a deactivated user can still be muted, banned and removed as operator`() throws {
        var chat = Chat([ann, bob, cat])
        try chat.createGoverned(with: [bob, cat])
        try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann))
        try chat.run(DeactivateUser(userID: bob), as: .server)
        #expect(chat.refusal(of: RemoveOperators(channelID: general, userIDs: [bob]), as: .user(ann)) == nil)
        #expect(chat.refusal(of: MuteMember(channelID: general, userID: bob), as: .user(ann)) == nil)
        #expect(chat.refusal(of: UnmuteMember(channelID: general, userID: bob), as: .user(ann)) == nil)
        #expect(chat.refusal(of: BanMember(channelID: general, userID: bob), as: .user(ann)) == nil)
        #expect(chat.refusal(of: UnbanMember(channelID: general, userID: bob), as: .user(ann)) == nil)
    }

    @Test func `US2 MS2: deactivated users can still be mentioned`() throws {
        var chat = try begin()
        let mention = SendMessage(channelID: general, text: "as bob said", mentionedUserIDs: [bob])
        #expect(try chat.run(mention, as: .user(ann)).message.mentionedUserIDs == [bob])
    }

    @Test func `US2: no token is issued to a deactivated or unknown user`() throws {
        var chat = try begin()
        for (user, refusal) in [(ann, nil), (bob, .userDeactivated), ("nobody", .notFound)] as [(UserID, ErrorCode?)] {
            #expect(chat.refusal(of: CheckActive(userID: user), as: .server) == refusal)
        }
    }

    @Test func `US2: replay restores the deactivation of users`() throws {
        let chat = try begin()
        #expect(chat.replayed.refusal(of: .user(bob), at: chat.now)?.code == .userDeactivated)
        #expect(chat.replayed.refusal(of: .user(ann), at: chat.now) == nil)
        #expect(chat.replayed.refusal(of: .server, at: chat.now) == nil)
    }
}
