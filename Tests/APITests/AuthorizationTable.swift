import Testing

@testable import API

/// One command with a body that is good in itself, and the right it needs.
///
/// `$message` is bob's, `$parent` too and has a thread with `$reply`; `$own` is written by whoever tries it, where they
/// could ever write.
struct AuthorizationRow: Sendable, CustomTestStringConvertible {
    let method: String
    let right: Right
    /// Members of the JSON object.
    let fields: String
    /// What the fields are beside others of this command.
    let note: String

    init(_ method: String, _ right: Right, _ fields: String = "", _ note: String = "", namesChannel: Bool = true) {
        self.method = method
        self.right = right
        let namesChannel = namesChannel && !Self.withoutChannel.contains(method)
        self.fields = [namesChannel ? #""channel_id":"general""# : "", fields].filter { !$0.isEmpty }
            .joined(separator: ",")
        self.note = note
    }

    /// Commands that have no such field.
    private static let withoutChannel: Set<String> = {
        let shapes = ChatShapes()
        let others = shapes.commands.filter { command in
            guard case .named(let name) = command.request else { return true }
            return !(shapes.components[name]?.properties ?? []).contains { $0.name == "channel_id" }
        }
        return Set(others.map(\.method))
    }()

    var testDescription: String { note.isEmpty ? method : "\(method), \(note)" }

    static let commands = people + channels + moderation + messages + threadsAndReactions + reading + theApp

    private static let people: [AuthorizationRow] = [
        .init("user.upsert", .server, #""id":"dan""#),
        .init("user.upsert_many", .server, #""users":[{"id":"dan"}]"#),
        .init("user.deactivate", .server, #""user_id":"bob""#),
        .init("user.activate", .server, #""user_id":"bob""#),
        .init("user.disconnect", .server, #""user_id":"bob""#),
        .init("user.revoke_tokens", .server, #""user_id":"bob""#),
        .init("token.create", .server, #""user_id":"bob""#),
        .init("guest.create", .newcomer),
        .init("user.get", .anyone, #""user_id":"bob""#),
        .init("user.get", .person, "", "oneself"),
        .init("user.list", .anyone, #""user_ids":["bob"]"#),
        .init("user.list_all", .server),
        .init("user.preferences", .person, #""auto_accept_invitations":true"#),
        .init("user.register_device", .person, #""provider":"fcm","token":"t""#),
        .init("user.unregister_device", .person, #""provider":"fcm","token":"t""#),
        .init("report.create", .person, #""category":"spam","user_id":"bob""#, "someone", namesChannel: false),
        .init("report.create", .personSeeing, #""category":"spam""#, "the channel"),
        .init("report.create", .personReading, #""category":"spam","message_id":"$message""#, "a message"),
        .init("report.list", .server),
    ]

    private static let channels: [AuthorizationRow] = [
        .init("channel.create", .anyone),
        .init("channel.upsert_many", .server, #""channels":[{"id":"tea"}]"#),
        .init("channel.get", .seeing),
        .init("channel.list", .person),
        .init("channel.list_public", .anyone),
        .init("channel.list_public", .person, #""membership":"joined""#, "one's own"),
        .init("channel.join", .joining),
        .init("channel.leave", .personAmongMembers),
        .init("channel.invite", .member, #""user_ids":["cat"]"#),
        .init("channel.accept", .answering),
        .init("channel.decline", .answering),
        .init("channel.update", .operator, #""name":"Tea""#),
        .init("channel.set_metadata", .operator, #""metadata":{"a":"1"}"#),
        .init("channel.delete_metadata", .operator, #""keys":["a"]"#),
        .init("channel.delete", .operator),
        .init("channel.hide", .personAmongMembers),
        .init("channel.unhide", .personAmongMembers),
        .init("channel.reset_history", .personAmongMembers),
        .init("channel.set_push", .personAmongMembers, #""push":"off""#),
    ]

    private static let moderation: [AuthorizationRow] = [
        .init("channel.freeze", .operator),
        .init("channel.unfreeze", .operator),
        .init("operator.add", .operator, #""user_ids":["bob"]"#),
        .init("operator.remove", .operator, #""user_ids":["bob"]"#),
        .init("operator.remove_all", .operator),
        .init("operator.list", .member),
        .init("member.add", .server, #""user_ids":["cat"]"#),
        .init("member.list", .member),
        .init("member.ban", .operator, #""user_id":"bob""#),
        .init("member.unban", .operator, #""user_id":"bob""#),
        .init("member.mute", .operator, #""user_id":"bob""#),
        .init("member.unmute", .operator, #""user_id":"bob""#),
        .init("member.list_banned", .operator),
        .init("member.list_muted", .operator),
    ]

    private static let messages: [AuthorizationRow] = [
        .init("message.send", .voice, #""text":"hi""#),
        .init("message.send", .personWithVoice, #""kind":"text","text":"hi""#, "text by name"),
        .init("message.send", .personWithVoice, #""text":"hi","kind":"text","parent_message_id":"$parent""#, "a reply"),
        .init("message.send", .personWithVoice, #""kind":"file","files":[{"url":"https://a.example/b"}]"#, "a file"),
        .init("message.send", .voiceOfTheApp, #""kind":"admin","text":"hi""#, "admin"),
        .init("message.get", .member, #""message_id":"$message""#),
        .init("message.list", .member),
        .init("message.search", .member, #""query":"message""#, "here"),
        .init("message.search", .person, #""query":"message""#, "everywhere", namesChannel: false),
        .init("message.update", .author, #""message_id":"$message","text":"ho""#),
        .init("message.update", .member, #""message_id":"$own","text":"ho""#, "one's own"),
        .init("message.delete", .author, #""message_id":"$message""#),
        .init("message.delete", .member, #""message_id":"$own""#, "one's own"),
        .init("typing.start", .personWithVoice),
        .init("typing.stop", .endOfVoice),
    ]

    private static let threadsAndReactions: [AuthorizationRow] = [
        .init("thread.list", .person),
        .init("thread.get", .member, #""parent_message_id":"$parent""#),
        .init("thread.replies", .member, #""parent_message_id":"$parent""#),
        .init("thread.update", .author, #""parent_message_id":"$parent","title":"Tea""#),
        .init("thread.update", .member, #""parent_message_id":"$own","title":"Tea""#, "one's own"),
        .init("thread.mark_read", .personAmongMembers, #""parent_message_id":"$parent""#),
        .init(
            "thread.mark_unread", .personAmongMembers, #""parent_message_id":"$parent","message_id":"$reply""#),
        .init("reaction.add", .personAmongMembers, #""message_id":"$message","key":"sob""#),
        .init("reaction.remove", .personAmongMembers, #""message_id":"$message","key":"sob""#),
        .init("reaction.list_users", .member, #""message_id":"$message","key":"sob""#),
    ]

    private static let reading: [AuthorizationRow] = [
        .init("read.mark", .personAmongMembers),
        .init("read.mark_unread", .personAmongMembers, #""message_id":"$message""#),
        .init("read.mark_all", .person),
        .init("read.counts", .person),
        .init("read.receipts", .member, #""message_id":"$message""#),
    ]

    private static let theApp: [AuthorizationRow] = [
        .init("emoji.list", .anyone),
        .init("emoji.create", .server, #""key":"party","character":"x""#),
        .init("emoji.delete", .server, #""key":"sob""#),
        .init(
            "webhook.set", .server,
            #""id":"b","url":"https://a.example","events":"*","secret":"0123456789abcdef01234567""#),
        .init("webhook.list", .server),
        .init("webhook.dead_letters", .server, #""id":"a""#),
        .init("webhook.replay", .server, #""id":"a""#),
        .init("webhook.delete", .server, #""id":"a""#),
        .init("settings.get", .server),
        .init("settings.update", .server, #""reactions":true"#),
    ]

    /// Over HTTP alone; asked of the engine itself.
    static let files: [AuthorizationRow] = [
        .init("file.prepare", .personWithVoice),
        .init("file.register", .personWithVoice),
        .init("file.get", .reader, "", "that was sent"),
        .init("file.get", .owner, "", "that was not sent"),
    ]
}
