import ChatDomain
import ChatModel
import Testing

/// `L2`: devices and push preferences.
@Suite struct DeviceTests {
    private func register(_ token: String, _ user: UserID, _ chat: inout Chat) throws -> [String] {
        try chat.run(RegisterDevice(provider: .fcm, token: token), as: .user(user)).devices.map(\.token)
    }

    @Test func `L2: each of a user's devices is registered once, in order, and can be removed`() throws {
        var chat = Chat()
        #expect(try register("t1", ann, &chat) == ["t1"])
        #expect(try register("t2", ann, &chat) == ["t1", "t2"])
        #expect(try register("t1", ann, &chat) == ["t1", "t2"] && chat.lastRecords.isEmpty)
        // The same token with another provider is another device.
        let web = try chat.run(RegisterDevice(provider: .web, token: "t1"), as: .user(ann))
        #expect(web.devices.map(\.provider) == [.fcm, .fcm, .web])
        let left = try chat.run(UnregisterDevice(provider: .fcm, token: "t1"), as: .user(ann))
        #expect(left.devices == [Device(provider: .fcm, token: "t2"), Device(provider: .web, token: "t1")])
        #expect(try chat.run(UnregisterDevice(provider: .fcm, token: "t1"), as: .user(ann)) == left)
        #expect(chat.lastRecords.isEmpty)
        #expect(chat.heard(by: ann).isEmpty && chat.heard(by: bob).isEmpty)
    }

    @Test func `L2: the twenty-first device replaces the oldest`() throws {
        var chat = Chat()
        for number in 1...FieldLimits.devicesPerUser { _ = try register("t\(number)", ann, &chat) }
        let devices = try register("new", ann, &chat)
        #expect(devices.count == 20 && devices.first == "t2" && devices.last == "new")
        #expect(try register("t1", bob, &chat) == ["t1"], "it is nobody's any more")
        #expect(chat.lastRecords.count == 1)
    }

    @Test func `L2: a device belongs to the user who registered it last`() throws {
        var chat = Chat()
        _ = try register("phone", ann, &chat)
        _ = try register("tablet", ann, &chat)
        #expect(try register("phone", bob, &chat) == ["phone"])
        #expect(try register("tablet", ann, &chat) == ["tablet"])
        // Ann cannot remove the device, which now belongs to bob.
        try chat.run(UnregisterDevice(provider: .fcm, token: "phone"), as: .user(ann))
        #expect(try register("laptop", bob, &chat) == ["phone", "laptop"])
    }

    @Test(
        arguments: [
            ("", .invalidValue), ("a\u{0}", .invalidValue), ("é", .invalidValue), ("a\n", .invalidValue), ("~ {}", nil),
            (String(repeating: "t", count: 4_096), nil), (String(repeating: "t", count: 4_097), .tooLong),
        ] as [(String, ErrorCode?)])
    func `L2: a device token has a maximum length and only printable characters`(token: String, expected: ErrorCode?) {
        var chat = Chat()
        #expect(chat.refusal(of: RegisterDevice(provider: .apns, token: token), as: .user(ann)) == expected)
    }

    @Test func `L2, US3: preferences can be changed individually`() throws {
        var chat = Chat()
        let initial = try chat.run(UpdatePreferences(), as: .user(ann))
        #expect(initial == .init(autoAcceptInvitations: true, push: .all))
        let quiet = try chat.run(UpdatePreferences(push: .off), as: .user(ann))
        #expect(quiet == .init(autoAcceptInvitations: true, push: .off))
        let both = try chat.run(UpdatePreferences(autoAcceptInvitations: false, push: .mentionOnly), as: .user(ann))
        #expect(both == .init(autoAcceptInvitations: false, push: .mentionOnly))
        try chat.run(UpdatePreferences(push: .mentionOnly), as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        #expect(try chat.run(UpdatePreferences(), as: .user(bob)).push == .all)
    }

    @Test func `L2: a push preference for a channel applies to one member and ends with the membership`() throws {
        var chat = Chat()
        try chat.create(with: [bob], isPublic: true)
        func push(_ user: UserID) throws -> ChannelPush? {
            try chat.ask(GetChannel(channelID: general), as: .user(user)).channel.my?.push
        }
        #expect(try push(ann) == nil)
        let set = SetChannelPush(channelID: general, push: .off)
        #expect(try chat.run(set, as: .user(ann)).channel.my?.push == .off)
        #expect(try push(ann) == .off)
        #expect(try push(bob) == nil)
        try chat.run(set, as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        let back = SetChannelPush(channelID: general, push: .default)
        #expect(try chat.run(back, as: .user(ann)).channel.my?.push == nil)
        try chat.run(set, as: .user(bob))
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        #expect(try push(bob) == nil)
        #expect(chat.refusal(of: set, as: .user(cat)) == .notAMember)
        #expect(chat.refusal(of: SetChannelPush(channelID: "nowhere", push: .off), as: .user(cat)) == .notFound)
    }
}
