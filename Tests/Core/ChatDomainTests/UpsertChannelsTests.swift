import ChatDomain
import ChatModel
import Testing

extension Chat {
    @discardableResult
    fileprivate mutating func upsert(_ channels: ChannelUpsert...) throws -> UpsertChannels.Response {
        try run(UpsertChannels(channels: channels), as: .server)
    }
}

/// Covers `CH3`, `CH4`, `CH6`, `CH14`, `US3` and `US4`.
@Suite struct UpsertChannelsTests {
    @Test func `CH6: one command creates many channels and adds their members without asking them`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(bob)
        let answer = try chat.upsert(
            ChannelUpsert(
                id: "tea", name: "Tea", userIDs: [bob, cat], operatorUserIDs: [ann], isPublic: true, coverURL: "/t",
                data: "{}", customType: "drink", metadata: ["a": "1"]),
            ChannelUpsert(id: "hall", userIDs: [bob, bob], isSuper: true, isEphemeral: true), ChannelUpsert(id: "empty")
        )
        #expect(answer.channels.map(\.id) == ["tea", "hall", "empty"] && answer.created == answer.channels.map(\.id))
        #expect(answer.refused.isEmpty)
        let tea = answer.channels[0]
        #expect(tea.name == "Tea" && tea.isPublic && tea.coverURL == "/t" && tea.data == "{}")
        #expect(tea.customType == "drink" && tea.metadata == ["a": "1"] && tea.createdBy == nil)
        #expect(tea.joinedMemberCount == 3 && tea.memberCount == 3)
        #expect(answer.channels[1].isSuper && answer.channels[1].isEphemeral)
        #expect(try chat.membership(of: bob, in: "tea") == .joined)
        let operators = try chat.ask(ListOperators(channelID: "tea"), as: .server).operators
        #expect(operators.map(\.user.id) == [ann])
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberJoined, .memberJoined])
        #expect(
            chat.replayed.snapshot(users: [ann, bob], channels: ["tea", "hall"])
                == chat.state.snapshot(users: [ann, bob], channels: ["tea", "hall"]))
    }

    @Test func `CH14: the given fields of an existing channel change, and no member is removed`() throws {
        var chat = Chat()
        try chat.run(
            CreateChannel(
                id: "tea", name: "Tea", userIDs: [ann, bob], data: "d", customType: "t",
                metadata: ["a": "1", "b": "2"]), as: .server)
        let wanted = ChannelUpsert(
            id: "tea", userIDs: [cat], operatorUserIDs: [bob], isPublic: true, data: "", metadata: ["b": "3"])
        let answer = try chat.upsert(wanted)
        let tea = try #require(answer.channels.first)
        #expect(answer.created.isEmpty && tea.name == "Tea" && tea.isPublic && tea.data == nil)
        #expect(tea.customType == "t" && tea.metadata == ["a": "1", "b": "3"] && tea.memberCount == 3)
        #expect(
            chat.lastRecords.map(\.event).contains(.operatorAdded("tea", bob)) && chat.lastRecords.count == 4)
        let again = try chat.upsert(wanted)
        #expect(again == answer)
        #expect(chat.lastRecords.isEmpty, "said twice it changes nothing")
    }

    @Test func `CH8 US3: invited users join, with the role they were invited for`() throws {
        var chat = Chat()
        for user in [bob, cat] { try chat.asksBeforeJoining(user) }
        try chat.run(CreateChannel(id: "tea", userIDs: [ann, cat], operatorUserIDs: [bob]), as: .server)
        chat.forgetWhatWasHeard()
        _ = try chat.upsert(ChannelUpsert(id: "tea", userIDs: [bob, cat]))
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.invitationAccepted, .memberJoined])
        let roles = try chat.ask(ListMembers(channelID: "tea", order: .nickname), as: .server).members.map(\.role)
        #expect(roles == [.member, .operator, .member])
    }

    @Test(
        arguments: [
            (ChannelUpsert(id: "bad", userIDs: ["nobody"]), ErrorCode.notFound, "not found: user nobody"),
            (
                ChannelUpsert(id: "bad", userIDs: [bob], operatorUserIDs: [eve]), .userDeactivated,
                "user deactivated: user eve"
            ),
            (
                ChannelUpsert(id: "bad", name: "a\u{202E}"), .invalidValue,
                "invalid value: name: must not contain control characters"
            ),
            (
                ChannelUpsert(id: "bad", metadata: ["": "1"]), .invalidValue,
                "invalid value: metadata: keys must not be empty"
            ),
            (ChannelUpsert(id: "old", userIDs: [dan]), .banned, "banned: user dan"),
            (ChannelUpsert(id: "old", isEphemeral: true), .invalidValue, nil),
            (ChannelUpsert(id: "old", userIDs: [bob, "fay"]), .memberLimit, "member limit: at most 2 members"),
            (ChannelUpsert(id: "bad", userIDs: [cat]), .channelLimit, "channel limit: user cat"),
        ] as [(ChannelUpsert, ErrorCode, String?)])
    func `each channel is accepted or refused as a whole, independently of the others`(
        wrong: ChannelUpsert, code: ErrorCode, message: String?
    ) throws {
        var chat = Chat()
        chat.settings.membersPerChannel = 2
        chat.settings.channelsPerUser = 1
        try chat.create("full", by: cat)
        try chat.run(CreateChannel(id: "old", userIDs: [ann, dan]), as: .server)
        try chat.run(BanMember(channelID: "old", userID: dan), as: .server)
        try chat.run(DeactivateUser(userID: eve), as: .server)
        chat.meet("fay")
        let before = chat.state.snapshot(users: [ann, bob, cat], channels: ["old", "full"])
        // A valid item comes first, after which its member cannot join another channel.
        let answer = try chat.upsert(ChannelUpsert(id: "new"), wrong, ChannelUpsert(id: "more", userIDs: [bob]))
        #expect(answer.refused.map(\.channelID) == [wrong.id] && answer.refused[0].code == code.rawValue)
        if let message { #expect(answer.refused[0].message == message) }
        #expect(answer.created == ["new", "more"] && answer.channels.map(\.id) == ["new", "more"])
        #expect(chat.state.channelCount == 4)
        let after = chat.state.snapshot(users: [ann, cat], channels: ["old", "full"])
        #expect(Set(after.dropFirst()).isSubset(of: Set(before)))
    }

    @Test func `US4: several channels in one command together never exceed a user's channel limit`() throws {
        var chat = Chat()
        chat.settings.channelsPerUser = 2
        let answer = try chat.upsert(
            ChannelUpsert(id: "c1", userIDs: [bob]), ChannelUpsert(id: "c2", userIDs: [bob]),
            ChannelUpsert(id: "c3", userIDs: [bob]), ChannelUpsert(id: "c4", userIDs: [cat]))
        #expect(answer.created == ["c1", "c2", "c4"])
        #expect(answer.refused.map(\.channelID) == ["c3"] && answer.refused.map(\.code) == [1013])
    }

    @Test func `CH3: a new member of an upserted distinct channel ends its uniqueness`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: "pair", userIDs: [ann, bob], isDistinct: true), as: .server)
        let same = try chat.upsert(ChannelUpsert(id: "pair", userIDs: [bob]))
        let more = try chat.upsert(ChannelUpsert(id: "pair", userIDs: [cat]))
        #expect(same.channels.map(\.isDistinct) == [true] && more.channels.map(\.isDistinct) == [false])
        #expect(chat.lastRecords.filter { $0.event == .distinctEnded("pair") }.count == 1)
    }

    @Test func `CH3: two simultaneous reasons to end a channel's uniqueness end it once`() throws {
        var chat = Chat()
        chat.settings.distinctByCustomType = true
        try chat.run(CreateChannel(id: "pair", userIDs: [ann, bob], isDistinct: true), as: .server)
        let answer = try chat.upsert(ChannelUpsert(id: "pair", userIDs: [cat], customType: "other"))
        #expect(answer.channels.map(\.isDistinct) == [false])
        #expect(chat.lastRecords.filter { $0.event == .distinctEnded("pair") }.count == 1)
    }

    @Test func `a command must have one to eighty channels, at most 250 users, and each channel once`() throws {
        var chat = Chat([ann])
        let many = try (0...80).map { ChannelUpsert(id: try #require(ChannelID("c\($0)"))) }
        #expect(chat.refusal(of: UpsertChannels(channels: []), as: .server) == .invalidValue)
        #expect(chat.refusal(of: UpsertChannels(channels: many), as: .server) == .tooMany)
        #expect(chat.refusal(of: UpsertChannels(channels: [many[0], many[1], many[0]]), as: .server) == .invalidValue)
        let crowd = try (0..<251).map { try #require(UserID("u\($0)")) }
        let crowded = [ChannelUpsert(id: "a", userIDs: crowd), ChannelUpsert(id: "b", userIDs: [])]
        #expect(chat.refusal(of: UpsertChannels(channels: crowded), as: .server) == .tooMany)
        #expect(chat.state.channelCount == 0)
        #expect(chat.refusal(of: UpsertChannels(channels: Array(many.dropLast())), as: .server) == nil)
        #expect(chat.state.channelCount == 80)
    }
}

/// Regression: a user who created a channel under an id the app was about to use became its operator, and the app added
/// members to it.
@Suite struct TakeOverTests {
    /// Returns a chat with eve's channel, which has a friend as operator and an invited future operator.
    private static func squatted(isPublic: Bool = true) throws -> Chat {
        var chat = Chat()
        try chat.asksBeforeJoining(dan)
        try chat.run(
            CreateChannel(id: "support", userIDs: [cat], operatorUserIDs: [eve, dan], isPublic: isPublic),
            as: .user(eve))
        try chat.run(AddOperators(channelID: "support", userIDs: [cat]), as: .user(eve))
        chat.forgetWhatWasHeard()
        return chat
    }

    private static func operators(_ chat: inout Chat) throws -> [UserID] {
        try chat.ask(ListOperators(channelID: "support"), as: .server).operators.map(\.user.id)
    }

    @Test func `CH6: a channel created by a user is refused and gets no new members; the others are accepted`() throws {
        var chat = try Self.squatted()
        let answer = try chat.upsert(ChannelUpsert(id: "support", userIDs: [bob]), ChannelUpsert(id: "sales"))
        #expect(answer.refused.map(\.channelID) == ["support"] && answer.refused.map(\.code) == [1015])
        #expect(answer.created == ["sales"] && answer.channels.map(\.id) == ["sales"])
        #expect(try chat.membership(of: bob, in: "support") == MembershipState.none)
        #expect(chat.heard(by: eve).isEmpty)
        let again = try chat.upsert(ChannelUpsert(id: "support", takeOver: false))
        #expect(again.refused.map(\.code) == [1015])
    }

    @Test func `CH6 ME2: a takeover ends all roles granted by users, even those of invited users`() throws {
        var chat = try Self.squatted()
        let wanted = ChannelUpsert(id: "support", userIDs: [bob], operatorUserIDs: [ann], takeOver: true)
        let answer = try chat.upsert(wanted)
        #expect(answer.refused.isEmpty && answer.created.isEmpty)
        #expect(answer.channels.map(\.createdBy) == [nil])
        #expect(try Self.operators(&chat) == [ann])
        #expect(try chat.membership(of: eve, in: "support") == .joined, "she stays, as an ordinary member")
        #expect(chat.heard(by: eve, in: .inbox(eve)) == [.operatorRemoved])
        #expect(chat.heard(by: eve, in: .channel("support")).first == .channelUpdated)
        let ban = BanMember(channelID: "support", userID: bob)
        #expect(chat.refusal(of: ban, as: .user(eve)) == .notAnOperator)
        #expect(chat.refusal(of: ban, as: .user(cat)) == .notAnOperator)
        try chat.run(AcceptInvitation(channelID: "support"), as: .user(dan))
        #expect(try Self.operators(&chat) == [ann], "nor does an older invitation make one")
        // From now on it belongs to the server, with or without `take_over`.
        let again = try chat.upsert(wanted)
        #expect(again.refused.isEmpty && chat.lastRecords.isEmpty)
        #expect(try chat.upsert(ChannelUpsert(id: "support", name: "Help")).channels.map(\.name) == ["Help"])
        for state in [chat.replayed, try chat.copied()] {
            let people = [ann, bob, cat, dan, eve]
            #expect(
                state.snapshot(users: people, channels: ["support"])
                    == chat.state.snapshot(users: people, channels: ["support"]))
        }
    }

    @Test
    func `ME2: operators named in the item stay, and an invited operator joins with the role in the item`() throws {
        var chat = try Self.squatted()
        _ = try chat.upsert(
            ChannelUpsert(id: "support", userIDs: [dan], operatorUserIDs: [cat], takeOver: true))
        #expect(try Self.operators(&chat) == [cat])
        #expect(try chat.membership(of: dan, in: "support") == .joined)
        var other = try Self.squatted(isPublic: false)
        _ = try other.upsert(ChannelUpsert(id: "support", operatorUserIDs: [dan], takeOver: true))
        #expect(try Self.operators(&other) == [dan])
    }

    /// Version 0.1 had no operator limit.
    @Test func `a channel over the operator limit can still be changed, but gets no more operators`() throws {
        var chat = Chat()
        try chat.upsert(ChannelUpsert(id: "support", userIDs: [ann, bob]))
        let crowd = (0...FieldLimits.operatorsPerChannel).compactMap { UserID("op\($0)") }
        chat.apply(crowd.map { .userCreated(Event.UserCreated(id: $0, nickname: "", metadata: [:], inboxEpoch: "e")) })
        chat.apply(
            crowd.map {
                .memberJoined(
                    Event.MemberJoined(
                        channel: "support", user: $0, role: .operator, invitedBy: nil, seesHistory: true))
            })
        let renamed = try chat.upsert(ChannelUpsert(id: "support", name: "Help", operatorUserIDs: [crowd[0]]))
        #expect(renamed.channels.map(\.name) == ["Help"] && renamed.refused.isEmpty)
        #expect(try chat.upsert(ChannelUpsert(id: "support", operatorUserIDs: [bob])).refused.map(\.code) == [1031])
        let again = AddOperators(channelID: "support", userIDs: [crowd[1]])
        #expect(chat.refusal(of: again, as: .server) == nil, "who is one already is no further one")
        let further = AddOperators(channelID: "support", userIDs: [bob])
        #expect(chat.refusal(of: further, as: .server) == .tooMany)
    }

    @Test func `a channel that cannot be taken over completely keeps its operators`() throws {
        var chat = try Self.squatted()
        try chat.run(BanMember(channelID: "support", userID: cat), as: .server)
        let answer = try chat.upsert(ChannelUpsert(id: "support", userIDs: [cat], takeOver: true))
        #expect(answer.refused.map(\.code) == [1003] && chat.lastRecords.isEmpty)
        #expect(try Self.operators(&chat) == [dan, eve])
    }

    @Test func `take_over has no effect on a new channel or the server's own`() throws {
        var chat = Chat()
        let wanted = ChannelUpsert(id: "tea", operatorUserIDs: [ann], takeOver: true)
        #expect(try chat.upsert(wanted).created == ["tea"])
        try chat.run(AddOperators(channelID: "tea", userIDs: [ann]), as: .server)
        let answer = try chat.upsert(ChannelUpsert(id: "tea", userIDs: [bob], takeOver: true))
        #expect(answer.refused.isEmpty)
        let operators = try chat.ask(ListOperators(channelID: "tea"), as: .server).operators.map(\.user.id)
        #expect(operators == [ann])
    }
}

/// The setting `chat.user_channel_ids`.
@Suite struct UserChannelIDTests {
    private static func chat(_ ids: UserChannelIDs) -> Chat {
        var chat = Chat()
        chat.settings.userChannelIDs = ids
        return chat
    }

    private func rejection(of change: some Change, as caller: Caller, in chat: inout Chat) -> Rejection? {
        do throws(Rejection) {
            try chat.run(change, as: caller)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: UserChannelIDs.allCases)
    func `CH6: the setting decides who may create a channel under which id`(ids: UserChannelIDs) {
        var chat = Self.chat(ids)
        let users: [UserChannelIDs: (plain: ErrorCode?, tilde: ErrorCode?)] = [
            .free: (nil, nil), .prefix: (.duplicateChannelID, nil), .off: (.invalidValue, .invalidValue),
        ]
        let server: ErrorCode? = ids == .prefix ? .invalidValue : nil
        #expect(chat.refusal(of: CreateChannel(id: "tea"), as: .user(ann)) == users[ids]?.plain)
        #expect(chat.refusal(of: CreateChannel(id: "~tea"), as: .user(ann)) == users[ids]?.tilde)
        #expect(chat.refusal(of: CreateChannel(id: "orders"), as: .server) == nil)
        #expect(chat.refusal(of: CreateChannel(id: "~orders"), as: .server) == server)
        #expect(chat.refusal(of: CreateChannel(), as: .user(ann)) == nil, "without an id anyone may, always")
    }

    /// Regression: different answers revealed which ids the app uses for channels that users cannot see.
    @Test(arguments: UserChannelIDs.allCases)
    func `CH6: a taken id and a reserved one get exactly the same answer`(ids: UserChannelIDs) throws {
        var chat = Self.chat(ids)
        try chat.run(CreateChannel(id: "vault", userIDs: [cat]), as: .server)
        let taken = rejection(of: CreateChannel(id: "vault"), as: .user(ann), in: &chat)
        let free = rejection(of: CreateChannel(id: "attic"), as: .user(ann), in: &chat)
        switch ids {
        case .free: #expect(taken == Rejection(.duplicateChannelID) && free == nil)
        case .prefix: #expect(taken == Rejection(.duplicateChannelID) && free == taken)
        case .off:
            #expect(taken?.code == .invalidValue && taken?.detail?.hasPrefix("id: ") == true && free == taken)
        }
        // Other errors also get the same answer.
        for fault in [
            { CreateChannel(id: $0, userIDs: ["nobody"]) }, { CreateChannel(id: $0, name: "\u{202E}") },
            { CreateChannel(id: $0, isDistinct: true, isSuper: true) },
        ] as [(ChannelID) -> CreateChannel] {
            let (first, second) = (
                rejection(of: fault("vault"), as: .user(ann), in: &chat),
                rejection(of: fault("attic"), as: .user(ann), in: &chat)
            )
            if ids != .free { #expect(first == second && first != nil) }
        }
    }

    @Test
    func `CH6: the server can change a user's channel with any id, and creates none in the users' namespace`() throws {
        var chat = Self.chat(.prefix)
        try chat.run(CreateChannel(id: "~tea", operatorUserIDs: [eve]), as: .user(eve))
        let answer = try chat.upsert(
            ChannelUpsert(id: "~tea", userIDs: [bob], takeOver: true), ChannelUpsert(id: "~new"),
            ChannelUpsert(id: "new"))
        #expect(answer.channels.map(\.id) == ["~tea", "new"] && answer.created == ["new"])
        #expect(answer.refused.map(\.channelID) == ["~new"] && answer.refused.map(\.code) == [1032])
        #expect(answer.refused[0].message.contains("id: "))
    }

    @Test func `the setting for users' channel ids can be changed at run time`() throws {
        var chat = Chat()
        var values = SettingValues()
        values.userChannelIDs = .prefix
        #expect(try chat.run(UpdateSettings(values), as: .server).settings.userChannelIDs == .prefix)
        #expect(chat.refusal(of: CreateChannel(id: "tea"), as: .user(ann)) == .duplicateChannelID)
        #expect(chat.replayed.settings(over: ChatSettings()).userChannelIDs == .prefix)
    }
}

/// Covers `ME3`, `US3`, `US4`, `CH3` and `CH4`.
@Suite struct AddMembersTests {
    @Test func `US3: users are added without being asked, each with their own outcome`() throws {
        var chat = Chat()
        for user in [bob, cat] { try chat.asksBeforeJoining(user) }
        try chat.create()
        _ = try chat.invite([cat])
        chat.forgetWhatWasHeard()
        let answer = try chat.run(
            AddMembers(channelID: general, userIDs: [bob, cat, bob, "nobody", ann]), as: .server)
        #expect(answer.joined == [bob, cat])
        #expect(answer.refused.map(\.userID) == ["nobody", ann] && answer.refused.map(\.code) == [1000, 1010])
        #expect(answer.channel.joinedMemberCount == 3 && answer.channel.memberCount == 3)
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.memberJoined])
        #expect(chat.heard(by: cat, in: .inbox(cat)) == [.invitationAccepted, .memberJoined])
        #expect(try chat.run(AddMembers(channelID: general, userIDs: [bob]), as: .server).refused.map(\.code) == [1010])
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `ME3 CH4 US4 US2: bans, limits and deactivation apply to added members`() throws {
        var chat = Chat()
        chat.settings.membersPerChannel = 2
        chat.settings.channelsPerUser = 1
        try chat.create("full", by: cat)
        try chat.create(with: [dan])
        try chat.run(AddOperators(channelID: general, userIDs: [ann]), as: .server)
        try chat.run(BanMember(channelID: general, userID: dan), as: .user(ann))
        try chat.run(DeactivateUser(userID: eve), as: .server)
        let guest = UserID.guest(1, 2)
        let names: [UserID] = [cat, dan, eve, guest, bob, "fay"]
        chat.meet("fay")
        let answer = try chat.run(AddMembers(channelID: general, userIDs: names), as: .server)
        #expect(answer.joined == [bob])
        #expect(answer.refused.map(\.code) == [1013, 1003, 1008, 1000, 1014])
    }

    @Test func `CH3: a new member of a distinct channel ends its uniqueness`() throws {
        var chat = Chat()
        try chat.create(with: [bob], isDistinct: true)
        let answer = try chat.run(AddMembers(channelID: general, userIDs: [cat]), as: .server)
        #expect(answer.joined == [cat] && !answer.channel.isDistinct)
    }

    @Test func `1 to 250 users must be named, and the channel must exist`() throws {
        var chat = Chat()
        try chat.create()
        let crowd = try (0..<251).map { try #require(UserID("u\($0)")) }
        #expect(chat.refusal(of: AddMembers(channelID: general, userIDs: []), as: .server) == .invalidValue)
        #expect(chat.refusal(of: AddMembers(channelID: general, userIDs: crowd), as: .server) == .tooMany)
        #expect(chat.refusal(of: AddMembers(channelID: "shed", userIDs: [bob]), as: .server) == .notFound)
    }
}
