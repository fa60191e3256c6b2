import ChatDomain
import ChatModel
import Testing

extension Chat {
    /// Creates a channel whose creator is its operator.
    mutating func createGoverned(
        by creator: UserID = ann, with users: [UserID] = [bob, cat], isPublic: Bool = false, isDistinct: Bool = false
    ) throws {
        try run(
            CreateChannel(
                id: general, userIDs: users, operatorUserIDs: [creator], isPublic: isPublic, isDistinct: isDistinct),
            as: .user(creator))
        forgetWhatWasHeard()
    }

    fileprivate mutating func operators(for user: UserID = ann) throws -> [UserID] {
        try ask(ListOperators(channelID: general), as: .user(user)).operators.map(\.user.id)
    }
}

/// Covers `ME2` and `CH10`.
@Suite struct OperatorTests {
    @Test
    func `ME2: operators and the server can add operators; the channel and the new operator are notified`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let answer = try chat.run(AddOperators(channelID: general, userIDs: [cat, bob, cat, ann]), as: .user(ann))
        #expect(answer.members.map(\.user.id) == [cat, bob, ann])
        #expect(answer.members.allSatisfy { $0.role == .operator && $0.state == .joined })
        #expect(chat.lastRecords.map(\.event) == [.operatorAdded(general, cat), .operatorAdded(general, bob)])
        #expect(chat.heard(by: ann, in: .channel(general)) == [.operatorAdded, .operatorAdded])
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.operatorAdded])
        #expect(chat.heard(by: bob).last?.event.member?.role == .operator)
        #expect(try chat.operators(for: bob) == [ann, bob, cat])
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my?.role == .operator)
        try chat.run(RemoveOperators(channelID: general, userIDs: [ann]), as: .server)
        #expect(chat.heard(by: ann).last?.event.by == nil)
        #expect(try chat.operators() == [bob, cat])
    }

    @Test func `ME2: a removed operator stays a member, and all operators can be removed in one command`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(dan)
        try chat.createGoverned(with: [bob, cat, dan])
        try chat.run(AddOperators(channelID: general, userIDs: [bob, dan]), as: .user(ann))
        try chat.run(RemoveOperators(channelID: general, userIDs: [bob, cat]), as: .user(ann))
        #expect(chat.lastRecords.map(\.event) == [.operatorRemoved(general, bob)])
        #expect(try chat.membership(of: bob) == .joined)
        #expect(chat.refusal(of: FreezeChannel(channelID: general), as: .user(bob)) == .notAnOperator)
        let channel = try chat.run(RemoveAllOperators(channelID: general), as: .user(ann)).channel
        #expect(channel.my?.role == .member && channel.memberCount == 4)
        #expect(try chat.operators().isEmpty)
        try chat.run(AcceptInvitation(channelID: general), as: .user(dan))
        #expect(try chat.operators().isEmpty, "nor does an invitation bring one back")
    }

    @Test func `ME2: leaving the channel ends the operator role`() throws {
        var chat = Chat()
        try chat.createGoverned(isPublic: true)
        try chat.run(LeaveChannel(channelID: general), as: .user(ann))
        try chat.run(JoinChannel(channelID: general), as: .user(ann))
        #expect(try chat.operators().isEmpty)
        #expect(chat.refusal(of: RemoveAllOperators(channelID: general), as: .user(ann)) == .notAnOperator)
    }

    @Test(
        arguments: [
            (ann, nil), (bob, .notAnOperator), (cat, .invitedNotMember), (dan, .notFound),
        ] as [(UserID, ErrorCode?)])
    func `ME2 CH10: only operators can moderate; a stranger gets not found`(user: UserID, code: ErrorCode?) throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.createGoverned()
        let caller = Caller.user(user)
        #expect(chat.refusal(of: AddOperators(channelID: general, userIDs: [bob]), as: caller) == code)
        #expect(chat.refusal(of: RemoveOperators(channelID: general, userIDs: [bob]), as: caller) == code)
        #expect(chat.refusal(of: FreezeChannel(channelID: general), as: caller) == code)
        #expect(chat.refusal(of: UnfreezeChannel(channelID: general), as: caller) == code)
        #expect(
            chat.refusal(of: ListOperators(channelID: general), as: caller) == (code == .notAnOperator ? nil : code))
        #expect(chat.refusal(of: RemoveAllOperators(channelID: general), as: caller) == code)
    }

    @Test func `ME2: either all or none of the named users become operators`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let refused: [([UserID], ErrorCode)] = [
            ([bob, dan], .notAMember), ([bob, "nobody"], .notFound), ([], .invalidValue),
            ((0...250).compactMap { UserID("u\($0)") }, .tooMany),
        ]
        for (users, code) in refused {
            #expect(chat.refusal(of: AddOperators(channelID: general, userIDs: users), as: .user(ann)) == code)
            #expect(chat.refusal(of: RemoveOperators(channelID: general, userIDs: users), as: .user(ann)) == code)
        }
        #expect(try chat.operators() == [ann])
    }

    @Test func `ME2: a channel has at most 250 operators`() throws {
        let many = (0..<251).compactMap { UserID("u\($0)") }
        var settings = ChatSettings()
        settings.membersPerChannel = 2_000
        var chat = Chat(many, settings: settings)
        try chat.run(CreateChannel(id: general, operatorUserIDs: Array(many.dropLast())), as: .user("u250"))
        #expect(chat.refusal(of: AddOperators(channelID: general, userIDs: ["u250"]), as: .server) == .tooMany)
        try chat.run(RemoveOperators(channelID: general, userIDs: ["u0"]), as: .server)
        #expect(chat.refusal(of: AddOperators(channelID: general, userIDs: ["u250"]), as: .server) == nil)
    }

    @Test
    func `ME2: the list of operators is paged by nickname, and its page token is valid only for the channel`() throws {
        var chat = Chat()
        try chat.run(UpsertUser(id: ann, nickname: "zoe"), as: .server)
        try chat.run(UpsertUser(id: bob, nickname: "Ida"), as: .server)
        try chat.run(UpsertUser(id: cat, nickname: "ida"), as: .server)
        try chat.createGoverned()
        try chat.create("other")
        try chat.run(AddOperators(channelID: general, userIDs: [bob, cat]), as: .user(ann))
        var found: [UserID] = []
        var token: String?
        repeat {
            let page = try chat.ask(ListOperators(channelID: general, limit: 1, next: token), as: .user(ann))
            #expect(page.operators.count == 1)
            found += page.operators.map(\.user.id)
            token = page.next
            if let token {
                #expect(
                    chat.refusal(of: ListOperators(channelID: "other", next: token), as: .user(ann)) == .badRequest)
            }
        } while token != nil
        #expect(found == [bob, cat, ann])
        for limit in [0, 101] {
            #expect(chat.refusal(of: ListOperators(channelID: general, limit: limit), as: .user(ann)) == .invalidValue)
        }
        for token in ["", "1.0.6.61.0", "1.0.61.zz.0", "1.999.61.61.0", "1.0.ff.61.0", "1.0.61.61", "2.0.61.61.0"] {
            #expect(chat.refusal(of: ListOperators(channelID: general, next: token), as: .user(ann)) == .badRequest)
        }
    }

    @Test func `CH10: in a frozen channel only operators and the server can send`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let retried = SendMessage(channelID: general, text: "before", clientID: "b1")
        try chat.run(retried, as: .user(bob))
        chat.forgetWhatWasHeard()
        #expect(try chat.run(FreezeChannel(channelID: general), as: .user(ann)).channel.isFrozen)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "no"), as: .user(bob)) == .channelFrozen)
        #expect(chat.refusal(of: retried, as: .user(bob)) == nil, "a retry gets its answer all the same (MS3)")
        try chat.say("an operator may")
        try chat.run(SendMessage(channelID: general, text: "so may the app"), as: .server)
        try chat.run(FreezeChannel(channelID: general), as: .server)
        #expect(chat.lastRecords.isEmpty, "frozen once is frozen")
        #expect(try !chat.run(UnfreezeChannel(channelID: general), as: .server).channel.isFrozen)
        try chat.run(UnfreezeChannel(channelID: general), as: .server)
        try chat.say("again", by: bob)
        #expect(
            chat.heard(by: bob, in: .channel(general)) == [
                .channelFrozen, .messageNew, .messageNew, .channelUnfrozen, .messageNew,
            ])
        #expect(chat.heard(by: bob).map(\.event.channel?.isFrozen) == [true, nil, nil, false, nil])
    }
}
