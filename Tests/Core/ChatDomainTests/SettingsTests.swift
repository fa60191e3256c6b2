import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// `T2`, `U4` and every setting that can be changed at run time.
@Suite struct SettingsTests {
    private func update(_ chat: inout Chat, _ change: (inout SettingValues) -> Void) throws(Rejection) -> SettingValues
    {
        var values = SettingValues()
        change(&values)
        return try chat.run(UpdateSettings(values), as: .server).settings
    }

    @Test func `T2, U4: by default clients get quoted replies, threads, and no marking as unread`() {
        let settings = ChatSettings().client
        #expect(settings == ClientSettings(replyType: .quoteReply, threadReplySelect: .thread, markAsUnread: false))
        #expect(settings.reactions)
    }

    /// A setting without its row in `SettingRow.table` would be accepted and ignored.
    @Test func `settings.get returns every setting that settings.update accepts`() throws {
        var chat = Chat()
        let settings = try chat.ask(GetSettings(), as: .server).settings
        let names = try JSONFields(WireEncoder().encode(settings)).keys
        #expect(Set(names) == Set(SettingValues.CodingKeys.allCases.map(\.rawValue)))
    }

    @Test func `T2, U4: changed settings reach clients and persist`() throws {
        var chat = Chat()
        let changed = try update(&chat) {
            $0.replyType = .thread
            $0.threadReplySelect = .parent
            $0.markAsUnread = true
            $0.reactions = false
        }
        #expect(changed.replyType == .thread && changed.channelsPerUser == 2_000)
        #expect(try chat.ask(GetSettings(), as: .server).settings == changed)
        let told = ClientSettings(
            replyType: .thread, threadReplySelect: .parent, markAsUnread: true, reactions: false)
        #expect(chat.state.settings(over: ChatSettings()).client == told)
        #expect(chat.replayed.settings(over: ChatSettings()).client == told)
        #expect(chat.heard(by: ann).isEmpty, "told at the next connect")
    }

    @Test func `changing one setting leaves the others and the configuration as they are`() throws {
        var configured = ChatSettings()
        configured.membersPerChannel = 7
        var chat = Chat(settings: configured)
        _ = try update(&chat) { $0.channelsPerUser = 3 }
        let both = try update(&chat) { $0.usersCreateChannels = false }
        #expect((both.membersPerChannel, both.channelsPerUser, both.usersCreateChannels) == (7, 3, false))
        // The next startup has another configuration: changed settings win, and all others follow the configuration.
        configured.membersPerChannel = 8
        configured.channelsPerUser = 1_000
        let next = chat.replayed.settings(over: configured)
        #expect((next.membersPerChannel, next.channelsPerUser, next.usersCreateChannels) == (8, 3, false))
    }

    @Test func `CH6, R4: changed settings apply to the next command`() throws {
        var chat = Chat()
        try chat.create()
        let message = try chat.say("hello")
        _ = try update(&chat) {
            $0.usersCreateChannels = false
            $0.reactions = false
        }
        #expect(chat.refusal(of: CreateChannel(), as: .user(ann)) == .creationDisabled)
        let add = AddReaction(channelID: general, messageID: message.id, key: "sob")
        #expect(chat.refusal(of: add, as: .user(ann)) == .featureDisabled)
        _ = try update(&chat) { $0.reactions = true }
        #expect(chat.refusal(of: add, as: .user(ann)) == nil)
    }

    @Test func `setting the current value publishes no event`() throws {
        var chat = Chat()
        #expect(try update(&chat) { _ in } == chat.ask(GetSettings(), as: .server).settings)
        _ = try update(&chat) { $0.replyType = .quoteReply }
        #expect(chat.records.allSatisfy { if case .settingsChanged = $0.event { false } else { true } })
    }

    @Test func `out-of-range numbers are refused and change nothing`() {
        var chat = Chat()
        let changes: [(inout SettingValues) -> Void] = [
            { $0.reactionUsersShown = -1 }, { $0.reactionUsersShown = 101 }, { $0.channelsPerUser = 0 },
            { $0.membersPerChannel = .max }, { $0.membersPerSuperChannel = 0 }, { $0.invitationsPerUser = 0 },
        ]
        for change in changes {
            var values = SettingValues()
            values.reactions = false
            change(&values)
            #expect(chat.refusal(of: UpdateSettings(values), as: .server) == .invalidValue)
        }
        #expect(chat.state.settings(over: ChatSettings()) == ChatSettings())
    }
}
