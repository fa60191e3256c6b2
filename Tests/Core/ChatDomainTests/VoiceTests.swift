import ChatDomain
import ChatModel
import Testing

/// The causes of silence.
enum Silence: CaseIterable, Sendable {
    case mute, mutedOperator, frost

    var code: ErrorCode { self == .frost ? .channelFrozen : .muted }
}

/// A channel in which bob is silenced for a given cause; ann is its operator, cat a member, and dan neither.
private struct Scene {
    var chat = Chat()
    let own: MessageID
    let parent: MessageID
    let cats: MessageID

    init(_ silence: Silence?, seconds: Int64? = nil) throws {
        try chat.createGoverned(isPublic: true)
        own = try chat.say("mine", by: bob).id
        parent = try chat.say("parent", by: bob).id
        try chat.say("reply", by: cat, to: parent)
        cats = try chat.say("cat's", by: cat).id
        try chat.run(AddReaction(channelID: general, messageID: cats, key: "sob"), as: .user(bob))
        if silence == .mutedOperator { try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann)) }
        switch silence {
        case .mute, .mutedOperator:
            // By the server: an operator cannot mute another one.
            try chat.run(MuteMember(channelID: general, userID: bob, seconds: seconds), as: .server)
        case .frost: try chat.run(FreezeChannel(channelID: general), as: .user(ann))
        case nil: break
        }
        chat.forgetWhatWasHeard()
    }

    /// Actions visible to others, by their names in the rules.
    var acts: [(name: String, change: any Change)] {
        var file = SendMessage(channelID: general, kind: .file)
        file.files = [FileReference(url: "https://a.example/b")]
        return [
            ("send", SendMessage(channelID: general, text: "x")), ("file", file),
            ("reply", SendMessage(channelID: general, text: "x", parentMessageID: parent)),
            ("edit", UpdateMessage(channelID: general, messageID: own, text: "everything I wanted to say")),
            ("edit that calls everyone", UpdateMessage(channelID: general, messageID: own, mentionType: .channel)),
            ("edit of data", UpdateMessage(channelID: general, messageID: own, data: "{}")),
            ("thread title", UpdateThread(channelID: general, parentMessageID: parent, title: "x")),
            ("reaction", AddReaction(channelID: general, messageID: own, key: "sob")),
            ("reaction taken back", RemoveReaction(channelID: general, messageID: cats, key: "sob")),
            ("invitation", InviteToChannel(channelID: general, userIDs: [dan])),
        ]
    }

    /// Actions reserved for operators.
    var governing: [(name: String, change: any Change)] {
        [
            ("unmute oneself", UnmuteMember(channelID: general, userID: bob)),
            ("mute", MuteMember(channelID: general, userID: cat)),
            ("ban", BanMember(channelID: general, userID: ann)),
            ("unban", UnbanMember(channelID: general, userID: dan)),
            ("operators", AddOperators(channelID: general, userIDs: [cat])),
            ("operators no more", RemoveOperators(channelID: general, userIDs: [ann])),
            ("nobody operates", RemoveAllOperators(channelID: general)),
            ("freeze", FreezeChannel(channelID: general)),
            ("name", UpdateChannel(channelID: general, name: "x")),
            ("metadata", SetChannelMetadata(channelID: general, metadata: ["a": "1"])),
            ("metadata away", DeleteChannelMetadata(channelID: general, keys: ["a"])),
            ("someone else's message", DeleteMessage(channelID: general, messageID: cats)),
            ("the channel", DeleteChannel(channelID: general)),
        ]
    }

    /// Private actions, including retracting content and leaving.
    var ownMatters: [(name: String, change: any Change)] {
        [
            ("read", MarkRead(channelID: general)), ("unread", MarkUnread(channelID: general, messageID: cats)),
            ("all read", MarkAllRead()), ("thread read", MarkThreadRead(channelID: general, parentMessageID: parent)),
            ("push", SetChannelPush(channelID: general, push: .off)), ("hide", HideChannel(channelID: general)),
            ("unhide", UnhideChannel(channelID: general)),
            ("report", CreateReport(category: .spam, channelID: general, messageID: cats)),
            ("one's own message", DeleteMessage(channelID: general, messageID: own)),
            ("history", ResetHistory(channelID: general)), ("leave", LeaveChannel(channelID: general)),
        ]
    }
}

/// `MS9`, `ME4`, `CH10`. Regression: a mute stopped only sending, but no other visible action.
@Suite struct VoiceTests {
    @Test(arguments: Silence.allCases)
    func `MS9: a silenced user can do nothing visible to others`(silence: Silence) throws {
        var scene = try Scene(silence)
        for (name, change) in scene.acts {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == silence.code, "\(name)")
        }
        #expect(scene.chat.refusal(of: StartTyping(channelID: general), as: .user(bob)) == silence.code)
        #expect(scene.chat.refusal(of: PrepareUpload(channelID: general), as: .user(bob)) == silence.code)
        for user in [ann, cat, dan] { #expect(scene.chat.heard(by: user).isEmpty) }
        #expect(try scene.chat.membership(of: dan) == MembershipState.none)
        let channel = try scene.chat.ask(GetChannel(channelID: general), as: .user(cat)).channel
        #expect(channel.my?.unreadMentionCount == 0, "nobody was called by an edit")
    }

    @Test(arguments: Silence.allCases)
    func `MS9: the app is never silenced`(silence: Silence) throws {
        var scene = try Scene(silence)
        let edit = UpdateMessage(channelID: general, messageID: scene.own, text: "put right")
        #expect(scene.chat.refusal(of: edit, as: .server) == nil)
        #expect(try scene.chat.run(InviteToChannel(channelID: general, userIDs: [dan]), as: .server).joined == [dan])
        #expect(scene.chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .server) == nil)
    }

    @Test(arguments: Silence.allCases)
    func `MS9: a silenced user can read, hide, report, leave and retract their own content`(silence: Silence) throws {
        var scene = try Scene(silence)
        for (name, change) in scene.ownMatters {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == nil, "\(name)")
        }
        let signal = try Scene(silence)
        var chat = signal.chat
        #expect(chat.refusal(of: StopTyping(channelID: general), as: .user(bob)) == nil)
        #expect(try chat.texts(for: bob).count == 4)
    }

    /// Regression: a muted operator could lift the mute or ban the operator who had imposed it.
    @Test func `ME4 ME2: a muted operator cannot moderate`() throws {
        var scene = try Scene(.mutedOperator)
        for (name, change) in scene.governing {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == .muted, "\(name)")
        }
        #expect(scene.chat.refusal(of: ListMuted(channelID: general), as: .user(bob)) == nil)
        #expect(scene.chat.refusal(of: ListBanned(channelID: general), as: .user(bob)) == nil)
        for user in [ann, cat] { #expect(scene.chat.heard(by: user).isEmpty) }
    }

    @Test func `CH10: operators can still act in a frozen channel, and others are refused as non-operators`() throws {
        var scene = try Scene(.frost)
        for (name, change) in scene.governing.dropLast(2) {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == .notAnOperator, "\(name)")
        }
        try scene.chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .user(ann))
        for (name, change) in scene.acts {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == nil, "\(name)")
        }
    }

    @Test func `ME4: all commands are allowed again when a mute expires`() throws {
        var scene = try Scene(.mute, seconds: 60)
        scene.chat.now += 60_000
        for (name, change) in scene.acts {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == nil, "\(name)")
        }
    }

    @Test func `MS9 ME3: every command refuses a user banned from a public channel as banned`() throws {
        var scene = try Scene(nil)
        try scene.chat.run(BanMember(channelID: general, userID: bob), as: .user(ann))
        let takingBack = DeleteMessage(channelID: general, messageID: scene.own)
        for (name, change) in scene.acts + scene.governing + [("take back", takingBack)] {
            #expect(scene.chat.refusal(of: change, as: .user(bob)) == .banned, "\(name)")
        }
    }

    @Test func `MS9 CH9: former members, invited users and strangers can do nothing visible either`() throws {
        var scene = try Scene(nil)
        try scene.chat.asksBeforeJoining(dan)
        _ = try scene.chat.invite([dan])
        try scene.chat.run(LeaveChannel(channelID: general), as: .user(bob))
        scene.chat.forgetWhatWasHeard()
        for (user, code) in [(bob, .notAMember), (dan, .invitedNotMember), (eve, .notAMember)] as [(UserID, ErrorCode)]
        {
            for (name, change) in scene.acts + scene.governing {
                #expect(scene.chat.refusal(of: change, as: .user(user)) == code, "\(name)")
            }
        }
        #expect(scene.chat.heard(by: ann).isEmpty)
    }
}
