import ChatModel
import Testing

@testable import API

/// A command with a valid body, the required right, and whether it needs a voice.
///
/// `$message` and `$parent` are bob's, and the latter has a thread with `$reply`. `$own` was written by the caller, if
/// the caller could ever write.
struct AuthorizationRow: Sendable, CustomTestStringConvertible {
    let method: String
    let right: Right
    let voice: Voice
    /// Members of the JSON object.
    let fields: String
    /// A note on fields that depend on others of this command.
    let note: String

    init(
        _ method: String, _ right: Right, _ voice: Voice, _ fields: String = "", _ note: String = "",
        namesChannel: Bool = true
    ) {
        self.method = method
        self.right = right
        self.voice = voice
        let namesChannel = namesChannel && !Self.withoutChannel.contains(method)
        self.fields = [namesChannel ? #""channel_id":"general""# : "", fields].filter { !$0.isEmpty }
            .joined(separator: ",")
        self.note = note
    }

    /// Commands without a `channel_id`.
    private static let withoutChannel: Set<String> = {
        let shapes = ChatShapes()
        let others = shapes.commands.filter { command in
            guard case .named(let name) = command.request else { return true }
            return !(shapes.components[name]?.properties ?? []).contains { $0.name == "channel_id" }
        }
        return Set(others.map(\.method))
    }()

    /// What the caller's role needs for the command (`RO1`).
    var permission: Permission? { Self.permissions[testDescription] ?? Self.permissions[method] ?? nil }

    /// By description, or by method for all rows of a command. Commands that are missing need no permission of a role.
    private static let permissions: [String: Permission?] = [
        "channel.invite": .invite, "channel.update": .changeChannel, "channel.set_metadata": .metadata,
        "channel.delete_metadata": .metadata, "channel.freeze": .freeze, "channel.unfreeze": .freeze,
        "member.remove": .remove, "member.ban": .ban, "member.unban": .ban, "member.mute": .mute,
        "member.unmute": .mute, "message.send": .send, "message.send, a reply": .reply, "message.update": .editAny,
        "message.update, one's own": .editOwn, "message.update, one's own, to all": .editOwn,
        "message.delete": .deleteAny, "message.delete, one's own": .deleteOwn, "typing.start": .send,
        "thread.update": .editThread, "reaction.add": .react, "reaction.remove": .react, "file.prepare": .upload,
        "file.register": .upload,
    ]

    var testDescription: String { note.isEmpty ? method : "\(method), \(note)" }

    static let commands = people + channels + moderation + messages + threadsAndReactions + reading + theApp

    private static let people: [AuthorizationRow] = [
        .init("user.upsert", .server, .notTheirs, #""id":"dan""#),
        .init("user.upsert_many", .server, .notTheirs, #""users":[{"id":"dan"}]"#),
        .init("user.deactivate", .server, .notTheirs, #""user_id":"bob""#),
        .init("user.delete", .server, .notTheirs, #""user_id":"bob""#),
        .init("user.activate", .server, .notTheirs, #""user_id":"bob""#),
        .init("user.disconnect", .server, .notTheirs, #""user_id":"bob""#),
        .init("user.revoke_tokens", .server, .notTheirs, #""user_id":"bob""#),
        .init("token.create", .server, .notTheirs, #""user_id":"bob""#),
        .init("guest.create", .newcomer, .notTheirs),
        .init("user.get", .anyone, .unheard, #""user_id":"bob""#),
        .init("user.get", .person, .unheard, "", "oneself"),
        .init("user.list", .anyone, .unheard, #""user_ids":["bob"]"#),
        .init("user.list_all", .server, .notTheirs),
        .init("user.search", .searchingUsers, .unheard, #""query":"bob""#),
        .init("user.export", .serverUnlessSet, .unheard, #""user_id":"bob""#),
        .init("user.block", .person, .unheard, #""user_id":"bob""#),
        .init("user.unblock", .person, .unheard, #""user_id":"bob""#),
        .init("user.list_blocked", .person, .unheard),
        .init("user.preferences", .person, .unheard, #""auto_accept_invitations":true"#),
        .init("user.register_device", .person, .unheard, #""provider":"fcm","token":"t""#),
        .init("user.unregister_device", .person, .unheard, #""provider":"fcm","token":"t""#),
        .init(
            "report.create", .person, .unheard, #""category":"spam","user_id":"bob""#, "someone", namesChannel: false),
        .init("report.create", .personSeeing, .unheard, #""category":"spam""#, "the channel"),
        .init(
            "report.create", .personReading, .unheard, #""category":"spam","message_id":"$message""#, "a message"),
        .init("report.list", .server, .notTheirs),
        .init("report.resolve", .server, .notTheirs, #""report_id":"$report""#),
        .init("report.dismiss", .server, .notTheirs, #""report_id":"$report""#),
        .init("report.delete", .server, .notTheirs, #""report_id":"$report""#),
        .init("app.moderation_log", .server, .notTheirs),
        .init("role.set", .server, .notTheirs, #""role":"member","permissions":["send"]"#),
        .init("role.list", .server, .notTheirs),
        .init("text_rule.set", .server, .notTheirs, #""rules":[{"id":"r","words":["bad"],"action":"mask"}]"#),
        .init("text_rule.delete", .server, .notTheirs, #""ids":["r"]"#),
        .init("text_rule.list", .server, .notTheirs),
        .init("text_rule.test", .server, .notTheirs, #""text":"bad""#),
    ]

    private static let channels: [AuthorizationRow] = [
        .init("channel.create", .anyone, .beginning),
        .init("channel.upsert_many", .server, .notTheirs, #""channels":[{"id":"tea"}]"#),
        .init("channel.get", .seeing, .unheard),
        .init("channel.list", .person, .unheard),
        .init("channel.list_public", .anyone, .unheard),
        .init("channel.list_public", .person, .unheard, #""membership":"joined""#, "one's own"),
        .init("channel.join", .joining, .allowed),
        .init("channel.leave", .personAmongMembers, .allowed),
        .init("channel.invite", .member, .needed, #""user_ids":["cat"]"#),
        .init("channel.accept", .answering, .allowed),
        .init("channel.decline", .answering, .allowed),
        .init("channel.update", .operator, .needed, #""name":"Tea""#),
        .init("channel.set_metadata", .operator, .needed, #""metadata":{"a":"1"}"#),
        .init("channel.delete_metadata", .operator, .needed, #""keys":["a"]"#),
        .init("channel.delete", .operator, .needed),
        .init("channel.hide", .personAmongMembers, .unheard),
        .init("channel.unhide", .personAmongMembers, .unheard),
        .init("channel.reset_history", .personAmongMembers, .unheard),
        .init("channel.set_push", .personAmongMembers, .unheard, #""push":"off""#),
    ]

    private static let moderation: [AuthorizationRow] = [
        .init("channel.freeze", .operator, .needed),
        .init("channel.unfreeze", .operator, .needed),
        .init("operator.add", .operator, .needed, #""user_ids":["bob"]"#),
        .init("operator.remove", .operator, .needed, #""user_ids":["bob"]"#),
        .init("operator.remove_all", .operator, .needed),
        .init("operator.list", .member, .unheard),
        .init("channel.set_retention", .server, .notTheirs, #""max_messages":5"#),
        .init("channel.export", .server, .notTheirs),
        .init("member.add", .server, .notTheirs, #""user_ids":["cat"]"#),
        .init("member.list", .member, .unheard),
        .init("member.remove", .operator, .needed, #""user_id":"bob""#),
        .init("app.ban", .server, .notTheirs, #""user_id":"bob""#),
        .init("app.unban", .server, .notTheirs, #""user_id":"bob""#),
        .init("app.list_banned", .server, .notTheirs),
        .init("app.mute", .server, .notTheirs, #""user_id":"bob""#),
        .init("app.unmute", .server, .notTheirs, #""user_id":"bob""#),
        .init("app.list_muted", .server, .notTheirs),
        .init("member.ban", .operator, .needed, #""user_id":"bob""#),
        .init("member.unban", .operator, .needed, #""user_id":"bob""#),
        .init("member.mute", .operator, .needed, #""user_id":"bob""#),
        .init("member.unmute", .operator, .needed, #""user_id":"bob""#),
        .init("member.list_banned", .operator, .unheard),
        .init("member.list_muted", .operator, .unheard),
        .init("member.moderation_log", .operator, .unheard),
    ]

    private static let messages: [AuthorizationRow] = [
        .init("message.send", .member, .needed, #""text":"hi""#),
        .init("message.send", .personAmongMembers, .needed, #""kind":"text","text":"hi""#, "text by name"),
        .init(
            "message.send", .personAmongMembers, .needed,
            #""text":"hi","kind":"text","parent_message_id":"$parent""#, "a reply"),
        .init(
            "message.send", .personAmongMembers, .needed, #""kind":"file","files":[{"url":"https://a.example/b"}]"#,
            "a file"),
        .init("message.send", .voiceOfTheApp, .needed, #""kind":"admin","text":"hi""#, "admin"),
        .init("message.get", .member, .unheard, #""message_id":"$message""#),
        .init("message.list", .member, .unheard),
        .init("message.search", .member, .unheard, #""query":"message""#, "here"),
        .init("message.search", .person, .unheard, #""query":"message""#, "everywhere", namesChannel: false),
        .init("message.update", .author, .needed, #""message_id":"$message","text":"ho""#),
        .init("message.update", .member, .needed, #""message_id":"$own","text":"ho""#, "one's own"),
        .init(
            "message.update", .member, .needed, #""message_id":"$own","mention_type":"channel""#, "one's own, to all"),
        .init("message.delete", .author, .takingBack, #""message_id":"$message""#),
        .init("message.delete", .member, .takingBack, #""message_id":"$own""#, "one's own"),
        .init("typing.start", .personAmongMembers, .needed),
        .init("typing.stop", .personAmongMembers, .takingBack),
    ]

    private static let threadsAndReactions: [AuthorizationRow] = [
        .init("thread.list", .person, .unheard),
        .init("thread.get", .member, .unheard, #""parent_message_id":"$parent""#),
        .init("thread.replies", .member, .unheard, #""parent_message_id":"$parent""#),
        .init("thread.update", .author, .needed, #""parent_message_id":"$parent","title":"Tea""#),
        .init("thread.update", .member, .needed, #""parent_message_id":"$own","title":"Tea""#, "one's own"),
        .init("thread.mark_read", .personAmongMembers, .unheard, #""parent_message_id":"$parent""#),
        .init(
            "thread.mark_unread", .personAmongMembers, .unheard,
            #""parent_message_id":"$parent","message_id":"$reply""#),
        .init("reaction.add", .personAmongMembers, .needed, #""message_id":"$message","key":"sob""#),
        .init("reaction.remove", .personAmongMembers, .needed, #""message_id":"$message","key":"sob""#),
        .init("reaction.list_users", .member, .unheard, #""message_id":"$message","key":"sob""#),
    ]

    private static let reading: [AuthorizationRow] = [
        .init("read.mark", .personAmongMembers, .allowed),
        .init("read.mark_unread", .personAmongMembers, .unheard, #""message_id":"$message""#),
        .init("read.mark_all", .person, .allowed),
        .init("read.counts", .person, .unheard),
        .init("read.receipts", .member, .unheard, #""message_id":"$message""#),
    ]

    private static let theApp: [AuthorizationRow] = [
        .init("emoji.list", .anyone, .unheard),
        .init("emoji.create", .server, .notTheirs, #""key":"party","character":"x""#),
        .init("emoji.delete", .server, .notTheirs, #""key":"sob""#),
        .init("hook.get", .server, .notTheirs),
        .init("hook.set", .server, .notTheirs),
        .init(
            "webhook.set", .server, .notTheirs,
            #""id":"b","url":"https://a.example","events":"*","secret":"0123456789abcdef01234567""#),
        .init("webhook.list", .server, .notTheirs),
        .init("webhook.dead_letters", .server, .notTheirs, #""id":"a""#),
        .init("webhook.replay", .server, .notTheirs, #""id":"a""#),
        .init("webhook.delete", .server, .notTheirs, #""id":"a""#),
        .init("settings.get", .server, .notTheirs),
        .init("settings.update", .server, .notTheirs, #""reactions":true"#),
        .init("import.begin", .server, .notTheirs, #""import_id":"i","source":"s""#),
        .init("import.add", .server, .notTheirs, #""import_id":"begun","first_line":1,"lines":[{"type":"end"}]"#),
        .init("import.status", .server, .notTheirs, #""import_id":"begun""#),
        .init("import.finish", .server, .notTheirs, #""import_id":"begun""#),
    ]

    /// File access over HTTP, for which the engine is called directly.
    static let files: [AuthorizationRow] = [
        .init("file.prepare", .personAmongMembers, .needed),
        .init("file.register", .personAmongMembers, .needed),
        .init("file.get", .reader, .unheard, "", "that was sent"),
        .init("file.get", .owner, .unheard, "", "that was not sent"),
    ]
}
