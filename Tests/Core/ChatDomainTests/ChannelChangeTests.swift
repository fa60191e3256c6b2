import ChatDomain
import ChatModel
import Testing

/// Covers `CH14` and `CH15`.
@Suite struct ChannelChangeTests {
    @Test func `CH14: fields in the request change, absent ones stay, and an empty text clears a field`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let first = try chat.run(
            UpdateChannel(
                channelID: general, name: "General", coverURL: "/c.png", data: "{}", customType: "team",
                isPublic: true, isSuper: true), as: .user(ann)
        ).channel
        #expect((first.name, first.coverURL, first.data, first.customType) == ("General", "/c.png", "{}", "team"))
        #expect(first.isPublic && first.isSuper && first.my?.role == .operator)
        let second = try chat.run(
            UpdateChannel(channelID: general, coverURL: "", data: "", customType: "", isPublic: false), as: .server
        ).channel
        #expect((second.name, second.coverURL, second.data, second.customType) == ("General", nil, nil, nil))
        #expect(!second.isPublic && second.isSuper)
        #expect(chat.heard(by: bob, in: .channel(general)) == [.channelUpdated, .channelUpdated])
        #expect(chat.heard(by: bob).map(\.event.channel?.data) == ["{}", nil])
        try chat.run(UpdateChannel(channelID: general, name: "General", isPublic: false), as: .user(ann))
        #expect(chat.lastRecords.isEmpty, "what changes nothing is announced to no one")
    }

    @Test(
        arguments: [
            (ann, nil), (bob, .notAnOperator), (cat, .invitedNotMember), (dan, .notFound),
        ] as [(UserID, ErrorCode?)])
    func `CH14 CH15: only operators can change and delete a channel; a stranger gets not found`(
        user: UserID, code: ErrorCode?
    ) throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.createGoverned()
        let caller = Caller.user(user)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "x"), as: caller) == code)
        #expect(chat.refusal(of: SetChannelMetadata(channelID: general, metadata: ["a": "1"]), as: caller) == code)
        #expect(chat.refusal(of: DeleteChannelMetadata(channelID: general, keys: ["a"]), as: caller) == code)
        #expect(chat.refusal(of: DeleteChannel(channelID: general), as: caller) == code)
    }

    @Test func `CH14: fields beyond their limits are refused`() throws {
        var chat = Chat()
        try chat.createGoverned()
        let refused: [(UpdateChannel, ErrorCode)] = [
            (UpdateChannel(channelID: general, name: String(repeating: "x", count: 201)), .tooLong),
            (UpdateChannel(channelID: general, name: "a\u{202E}b"), .invalidValue),
            (UpdateChannel(channelID: general, coverURL: "javascript:x"), .invalidValue),
            (UpdateChannel(channelID: general, data: String(repeating: "x", count: 8_193)), .tooLong),
            (UpdateChannel(channelID: general, customType: String(repeating: "x", count: 129)), .tooLong),
            (UpdateChannel(channelID: general, isDistinct: true), .invalidValue),
        ]
        for (update, code) in refused { #expect(chat.refusal(of: update, as: .user(ann)) == code) }
    }

    @Test func `CH4 CH14: a super channel can become ordinary again only if its members fit`() throws {
        var settings = ChatSettings()
        settings.membersPerChannel = 2
        var chat = Chat(settings: settings)
        try chat.run(CreateChannel(id: general, operatorUserIDs: [ann], isSuper: true), as: .user(ann))
        _ = try chat.invite([bob, cat])
        let shrink = UpdateChannel(channelID: general, isSuper: false)
        #expect(chat.refusal(of: shrink, as: .user(ann)) == .memberLimit)
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        #expect(try !chat.run(shrink, as: .user(ann)).channel.isSuper)
    }

    @Test
    func `CH3 CH14: a channel stops being distinct on request, or when a custom type in its identity changes`()
        throws
    {
        var settings = ChatSettings()
        settings.distinctByCustomType = true
        for update in [
            UpdateChannel(channelID: general, isDistinct: false), UpdateChannel(channelID: general, customType: "b"),
            UpdateChannel(channelID: general, isSuper: true, isDistinct: false),
        ] {
            var chat = Chat(settings: settings)
            try chat.createGoverned(isDistinct: true)
            #expect(
                chat.refusal(of: UpdateChannel(channelID: general, isSuper: true), as: .user(ann))
                    == .distinctSuperConflict)
            #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "x"), as: .user(ann)) == nil)
            #expect(try !chat.run(update, as: .user(ann)).channel.isDistinct)
            let again = try chat.run(CreateChannel(userIDs: [bob, cat], isDistinct: true), as: .user(ann))
            #expect(again.created)
        }
    }

    @Test func `CH15: keys are set, changed and deleted individually, at most 50 in all`() throws {
        var chat = Chat()
        try chat.createGoverned()
        try chat.run(SetChannelMetadata(channelID: general, metadata: ["a": "1", "b": "2"]), as: .user(ann))
        try chat.run(SetChannelMetadata(channelID: general, metadata: ["b": "3", "c": "4"]), as: .user(ann))
        #expect(chat.heard(by: bob).last?.event.channel?.metadata == ["a": "1", "b": "3", "c": "4"])
        let left = try chat.run(DeleteChannelMetadata(channelID: general, keys: ["a", "x", "c", "a"]), as: .server)
        #expect(left.channel.metadata == ["b": "3"])
        #expect(
            chat.heard(by: bob, in: .channel(general)) == [.channelUpdated, .channelUpdated, .channelUpdated])
        try chat.run(SetChannelMetadata(channelID: general, metadata: ["b": "3"]), as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        try chat.run(DeleteChannelMetadata(channelID: general, keys: ["x"]), as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0)", "") })
        let refused: [([String: String], ErrorCode)] = [
            ([:], .invalidValue), (["": "1"], .invalidValue), (many, .tooMany),
            (["k": String(repeating: "x", count: 1_025)], .tooLong),
        ]
        for (metadata, code) in refused {
            let set = SetChannelMetadata(channelID: general, metadata: metadata)
            #expect(chat.refusal(of: set, as: .user(ann)) == code)
        }
        for (keys, code) in [([], .invalidValue), ((0...50).map { "k\($0)" }, .tooMany)] as [([String], ErrorCode)] {
            let delete = DeleteChannelMetadata(channelID: general, keys: keys)
            #expect(chat.refusal(of: delete, as: .user(ann)) == code)
        }
    }

    @Test func `CH14: the deletion is the last event; then everyone loses the room and the id can be reused`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(dan)
        try chat.createGoverned(with: [bob, cat, dan], isDistinct: true)
        try chat.say("before")
        chat.forgetWhatWasHeard()
        let epoch = chat.state.standings(of: ann).last?.epoch
        let deleted = try chat.run(DeleteChannel(channelID: general), as: .user(ann)).channel
        #expect((deleted.id, deleted.memberCount, deleted.my) == (general, 3, nil))
        for user in [ann, bob, cat] {
            #expect(chat.heard(by: user).map(\.event.type) == [.invitationCancelled, .channelDeleted])
            #expect(chat.state.standings(of: user).map(\.room) == [.inbox(user)])
            #expect(chat.ears[user]?.count == 1)
            #expect(chat.refusal(of: GetChannel(channelID: general), as: .user(user)) == .notFound)
        }
        #expect(chat.heard(by: ann).last?.event.channel?.id == general)
        #expect(chat.heard(by: dan).map(\.event.type) == [.invitationCancelled])
        #expect(chat.endedRooms == [.channel(general)])
        #expect(chat.refusal(of: DeleteChannel(channelID: general), as: .user(ann)) == .notFound)

        chat.forgetWhatWasHeard()
        #expect(
            try chat.run(CreateChannel(id: general, userIDs: [bob, cat, dan], isDistinct: true), as: .user(ann)).created
        )
        #expect(chat.heard(by: ann, in: .channel(general)).first == .channelCreated)
        #expect(chat.heard(by: ann).first?.offset == 1)
        #expect(chat.state.standings(of: ann).last?.epoch != epoch)
        #expect(try chat.texts(for: ann).isEmpty)
        #expect(
            chat.replayed.snapshot(users: [ann, bob], channels: [general])
                == chat.state.snapshot(users: [ann, bob], channels: [general]))
    }

    @Test func `US4 CH14: a deleted channel no longer counts among a user's channels`() throws {
        var settings = ChatSettings()
        settings.channelsPerUser = 1
        var chat = Chat(settings: settings)
        try chat.create()
        #expect(chat.refusal(of: CreateChannel(id: "other"), as: .user(ann)) == .channelLimit)
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(chat.refusal(of: CreateChannel(id: "other"), as: .user(ann)) == nil)
    }
}
