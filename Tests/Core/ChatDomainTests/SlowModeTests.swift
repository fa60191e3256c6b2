import ChatModel
import Testing

@testable import ChatDomain

@Suite struct SlowModeTests {
    /// A channel of ann, its operator, and bob, in which time stands still.
    private func begin(seconds: Int = 10) throws -> Chat {
        var chat = Chat()
        chat.step = 0
        try chat.run(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann], isPublic: true), as: .user(ann))
        if seconds > 0 { try chat.run(UpdateChannel(channelID: general, slowModeSeconds: seconds), as: .user(ann)) }
        return chat
    }

    private func send(_ text: String = "hi", clientID: String? = nil) -> SendMessage {
        SendMessage(channelID: general, text: text, clientID: clientID)
    }

    @Test func `MO5: a member waits between two messages, and the refusal says how long`() throws {
        var chat = try begin()
        try chat.run(send(), as: .user(bob))
        chat.now += 3_000
        #expect(throws: Rejection(.slowMode, "one message in 10 seconds", retryAfterMilliseconds: 7_000)) {
            try chat.run(send(), as: .user(bob))
        }
        chat.now += 6_999
        #expect(chat.refusal(of: send(), as: .user(bob)) == .slowMode)
        chat.now += 1
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil)
        #expect(chat.refusal(of: send(), as: .user(bob)) == .slowMode)
    }

    @Test func `MO5: operators and the server never wait, and members wait for nobody else`() throws {
        var chat = try begin()
        try chat.run(JoinChannel(channelID: general), as: .user(cat))
        for _ in 0..<3 {
            #expect(chat.refusal(of: send(), as: .user(ann)) == nil)
            #expect(chat.refusal(of: SendMessage(channelID: general, text: "app", kind: .admin), as: .server) == nil)
        }
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil)
        #expect(chat.refusal(of: send(), as: .user(cat)) == nil)
        try chat.run(RemoveOperators(channelID: general, userIDs: [ann]), as: .server)
        #expect(chat.refusal(of: send(), as: .user(ann)) == .slowMode)
    }

    @Test func `MO5: neither leaving nor deleting the message nor a reply gets around the wait`() throws {
        var chat = try begin()
        let message = try chat.run(send(), as: .user(bob)).message
        let reply = SendMessage(channelID: general, text: "hi", parentMessageID: message.id)
        #expect(chat.refusal(of: reply, as: .user(bob)) == .slowMode)
        try chat.run(DeleteMessage(channelID: general, messageID: message.id), as: .user(bob))
        #expect(chat.refusal(of: send(), as: .user(bob)) == .slowMode)
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        try chat.run(JoinChannel(channelID: general), as: .user(bob))
        #expect(chat.refusal(of: send(), as: .user(bob)) == .slowMode)
    }

    @Test func `MO5 MS3: a repeated message gets its answer without waiting`() throws {
        var chat = try begin()
        let first = try chat.run(send(clientID: "c"), as: .user(bob)).message
        #expect(try chat.run(send(clientID: "c"), as: .user(bob)).message == first)
        #expect(chat.refusal(of: send(clientID: "d"), as: .user(bob)) == .slowMode)
    }

    @Test func `MO5: a change of the seconds counts for those who wait already`() throws {
        var chat = try begin()
        try chat.run(send(), as: .user(bob))
        chat.now += 5_000
        try chat.run(UpdateChannel(channelID: general, slowModeSeconds: 100), as: .user(ann))
        chat.now += 5_000
        #expect(chat.refusal(of: send(), as: .user(bob)) == .slowMode)
        let update = try chat.run(UpdateChannel(channelID: general, slowModeSeconds: 5), as: .user(ann)).channel
        #expect(update.slowModeSeconds == 5)
        #expect(chat.heard(by: bob).last?.event.channel?.slowModeSeconds == 5)
        try chat.run(send(), as: .user(bob))
        try chat.run(UpdateChannel(channelID: general, slowModeSeconds: 0), as: .user(ann))
        #expect(try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.slowModeSeconds == nil)
        #expect(chat.refusal(of: send(), as: .user(bob)) == nil)
    }

    @Test func `MO5: only operators and the server set it, within its bounds, and not in an ephemeral channel`() throws
    {
        var chat = try begin(seconds: 0)
        let update = UpdateChannel(channelID: general, slowModeSeconds: 5)
        #expect(chat.refusal(of: update, as: .user(bob)) == .notAnOperator)
        #expect(chat.refusal(of: update, as: .server) == nil)
        try chat.run(update, as: .user(ann))
        #expect(chat.lastRecords.isEmpty)
        for seconds in [-1, 86_401, .min, .max] {
            #expect(
                chat.refusal(of: UpdateChannel(channelID: general, slowModeSeconds: seconds), as: .user(ann))
                    == .invalidValue)
        }
        try chat.run(CreateChannel(id: "live", operatorUserIDs: [ann], isEphemeral: true), as: .user(ann))
        #expect(
            chat.refusal(of: UpdateChannel(channelID: "live", slowModeSeconds: 5), as: .user(ann)) == .ephemeralChannel)
        #expect(chat.refusal(of: UpdateChannel(channelID: "live", slowModeSeconds: 0), as: .user(ann)) == nil)
    }

    @Test func `MO5: a restart and a snapshot keep who must wait`() throws {
        var chat = try begin()
        try chat.run(send(), as: .user(bob))
        let context = Context(
            caller: .user(bob), now: chat.now, freshID: MessageID(high: 1, low: 1), settings: chat.settings)
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [chat.replayed, loaded] {
            #expect(throws: Rejection(.slowMode, "one message in 10 seconds", retryAfterMilliseconds: 10_000)) {
                try send().decide(in: state, context)
            }
        }
    }

    @Test func `MO5: times that no longer matter are dropped`() {
        var slowMode = SlowMode(seconds: 1)
        for index in 0..<10_000 { slowMode.recordMessage(of: UserID(stringLiteral: "u\(index)"), at: Int64(index)) }
        #expect(slowMode.count <= 2_048)
        #expect(slowMode.wait(of: "u9999", at: 10_000) == 999 && slowMode.wait(of: "u0", at: 10_000) == nil)
        #expect(slowMode.parts(at: 10_000).map(\.at).allSatisfy { $0 > 9_000 })
    }
}
