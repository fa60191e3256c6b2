import API
import ChatEngine
import ChatModel
import Testing

/// A valid body for each command.
private let bodies: [String: String] = [
    "user.upsert_many": #"{"users":[{"id":"bob"}]}"#, "channel.upsert_many": #"{"channels":[{"id":"general"}]}"#,
    "channel.set_retention": #"{"channel_id":"general","max_messages":5}"#,
    "user.export": #"{"user_id":"bob"}"#, "channel.export": #"{"channel_id":"general"}"#,
    "member.add": #"{"channel_id":"general","user_ids":["bob"]}"#,
    "user.upsert": #"{"id":"bob"}"#, "user.get": #"{"user_id":"ann"}"#, "user.preferences": "{}",
    "typing.start": #"{"channel_id":"general"}"#, "typing.stop": #"{"channel_id":"general"}"#,
    "report.create": #"{"category":"spam","user_id":"bob"}"#, "report.list": "{}",
    "user.list": #"{"user_ids":["ann"]}"#, "user.list_all": "{}",
    "user.deactivate": #"{"user_id":"bob"}"#, "user.activate": #"{"user_id":"bob"}"#,
    "user.delete": #"{"user_id":"bob","delete_messages":true}"#,
    "user.disconnect": #"{"user_id":"bob"}"#, "user.revoke_tokens": #"{"user_id":"bob"}"#,
    "user.register_device": #"{"provider":"fcm","token":"t"}"#,
    "user.unregister_device": #"{"provider":"fcm","token":"t"}"#,
    "channel.set_push": #"{"channel_id":"general","push":"off"}"#,
    "channel.create": #"{"is_public":true}"#, "channel.get": #"{"channel_id":"general"}"#,
    "channel.join": #"{"channel_id":"general"}"#, "channel.leave": #"{"channel_id":"general"}"#,
    "channel.invite": #"{"channel_id":"general","user_ids":["bob"]}"#,
    "channel.accept": #"{"channel_id":"general"}"#, "channel.decline": #"{"channel_id":"general"}"#,
    "channel.freeze": #"{"channel_id":"general"}"#,
    "channel.unfreeze": #"{"channel_id":"general"}"#,
    "operator.remove_all": #"{"channel_id":"general"}"#,
    "operator.list": #"{"channel_id":"general"}"#,
    "member.list_banned": #"{"channel_id":"general"}"#,
    "member.list_muted": #"{"channel_id":"general"}"#,
    "member.list": #"{"channel_id":"general"}"#,
    "operator.add": #"{"channel_id":"general","user_ids":["bob"]}"#,
    "operator.remove": #"{"channel_id":"general","user_ids":["bob"]}"#,
    "member.ban": #"{"channel_id":"general","user_id":"bob"}"#,
    "member.unban": #"{"channel_id":"general","user_id":"bob"}"#,
    "member.mute": #"{"channel_id":"general","user_id":"bob"}"#,
    "member.unmute": #"{"channel_id":"general","user_id":"bob"}"#,
    "message.send": #"{"channel_id":"general","text":"hi"}"#,
    "message.get": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "message.update": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "message.delete": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "message.list": #"{"channel_id":"general"}"#, "message.search": #"{"query":"hello"}"#,
    "thread.replies": #"{"channel_id":"general","parent_message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "reaction.add": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))","key":"sob"}"#,
    "reaction.remove": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))","key":"sob"}"#,
    "reaction.list_users": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))","key":"sob"}"#,
    "emoji.list": "{}", "emoji.create": #"{"key":"party","character":"x"}"#, "emoji.delete": #"{"key":"sob"}"#,
    "read.mark": #"{"channel_id":"general"}"#,
    "read.mark_unread": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "read.mark_all": "{}", "read.counts": "{}", "thread.list": "{}",
    "read.receipts": #"{"channel_id":"general","message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "thread.get": #"{"channel_id":"general","parent_message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "thread.update": #"{"channel_id":"general","parent_message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "thread.mark_read": #"{"channel_id":"general","parent_message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "thread.mark_unread":
        #"{"channel_id":"general","parent_message_id":"\#(MessageID(high: 1, low: 1))","message_id":"\#(MessageID(high: 1, low: 1))"}"#,
    "webhook.set": #"{"id":"a","url":"https://a.example","events":"*","secret":"0123456789abcdef01234567"}"#,
    "token.create": #"{"user_id":"bob"}"#, "guest.create": "{}", "webhook.list": "{}", "hook.get": "{}",
    "hook.set": "{}",
    "webhook.dead_letters": #"{"id":"a"}"#, "webhook.replay": #"{"id":"a"}"#, "webhook.delete": #"{"id":"a"}"#,
    "settings.get": "{}", "settings.update": #"{"reactions":true}"#,
    "import.begin": #"{"import_id":"i","source":"s"}"#, "import.status": #"{"import_id":"i"}"#,
    "import.add": #"{"import_id":"i","first_line":1,"lines":[{"type":"end"}]}"#,
    "import.finish": #"{"import_id":"i"}"#,
    "channel.update": #"{"channel_id":"general"}"#, "channel.delete": #"{"channel_id":"general"}"#,
    "channel.list": #"{"order":"name","unread_only":true}"#,
    "channel.list_public": #"{"order":"name"}"#,
    "channel.hide": #"{"channel_id":"general"}"#, "channel.unhide": #"{"channel_id":"general"}"#,
    "channel.reset_history": #"{"channel_id":"general"}"#,
    "channel.set_metadata": #"{"channel_id":"general","metadata":{"a":"1"}}"#,
    "channel.delete_metadata": #"{"channel_id":"general","keys":["a"]}"#,
    "user.search": #"{"query":"bob"}"#, "user.block": #"{"user_id":"bob"}"#, "user.unblock": #"{"user_id":"bob"}"#,
    "user.list_blocked": "{}", "member.remove": #"{"channel_id":"general","user_id":"bob"}"#,
    "member.moderation_log": #"{"channel_id":"general"}"#, "app.moderation_log": "{}",
    "app.ban": #"{"user_id":"bob"}"#, "app.unban": #"{"user_id":"bob"}"#, "app.list_banned": "{}",
    "app.mute": #"{"user_id":"bob"}"#, "app.unmute": #"{"user_id":"bob"}"#, "app.list_muted": "{}",
    "report.resolve": #"{"report_id":"r"}"#, "report.dismiss": #"{"report_id":"r"}"#,
    "report.delete": #"{"report_id":"r"}"#, "role.set": #"{"role":"member"}"#, "role.list": "{}",
    "text_rule.set": #"{"rules":[{"id":"r","words":["bad"],"action":"mask"}]}"#,
    "text_rule.delete": #"{"ids":["r"]}"#, "text_rule.list": "{}", "text_rule.test": #"{"text":"bad"}"#,
]

private func speaking(for user: String, _ body: String) -> String {
    body == "{}" ? #"{"as_user_id":"\#(user)"}"# : #"{"as_user_id":"\#(user)",\#(body.dropFirst())"#
}

@Suite struct CommandTableTests {
    @Test func `every command has a row in these tests, a path and a unique name`() {
        let methods = CommandTable.declarations.map(\.method)
        #expect(Set(methods).count == methods.count)
        #expect(Set(methods) == Set(bodies.keys))
        #expect(CommandTable.declarations.allSatisfy { $0.path == "/v1/" + $0.method })
    }

    @Test(arguments: CommandTable.declarations.map(\.method))
    func `each command accepts only its allowed callers`(method: String) throws {
        let table = Desk().table(tokens: TokenVerifier(secret: Array(secret.utf8), clock: { 1_780_000_000_000 }))
        let body = try #require(bodies[method])
        let declaration = try #require(CommandTable.declarations.first { $0.method == method })
        let codes = [
            table.refusal(method, body, by: .user(ann)), table.refusal(method, body, by: .server),
            table.refusal(method, speaking(for: "ann", body), by: .server),
            table.refusal(method, speaking(for: "ann", body), by: .user(ann)),
        ].map { $0?.code }
        switch declaration.callers {
        case .users: #expect(codes == [nil, .badRequest, nil, .serverOnly])
        case .server: #expect(codes == [.serverOnly, nil, .badRequest, .serverOnly])
        case .anyone: #expect(codes == [nil, nil, nil, .serverOnly])
        case .newcomers: #expect(codes == [.permissionDenied, nil, .badRequest, .permissionDenied])
        }
    }

    @Test func `an unknown command is refused, and the server is asked for as_user_id`() {
        let table = Desk().table()
        #expect(
            table.refusal("channel.join", #"{"channel_id":"general"}"#, by: .server)?.message.contains("as_user_id")
                == true)
        for method in ["", "message", "message.send ", "Message.send", "message.sing", "../message.send", "é"] {
            #expect(table.refusal(method, "{}")?.code == .methodNotFound, "\(method)")
            #expect(table.refusal(method, "not JSON", by: .server)?.code == .methodNotFound, "\(method)")
        }
    }

    @Test func `the server acts as itself or as the user it names; users act only as themselves`() throws {
        let desk = Desk()
        let table = desk.table()
        #expect(table.refusal("user.get", "", by: .user(ann)) == nil)
        #expect(desk.next() == #"{"user":{"id":"ann","is_active":true,"nickname":"ann","online":false}}"#)
        #expect(table.refusal("user.get", #"{"as_user_id":"bob"}"#, by: .server) == nil)
        #expect(desk.next() == "1000", "naming someone makes no user")
        #expect(table.refusal("user.upsert", #"{"id":"bob"}"#, by: .server) == nil)
        #expect(desk.next() == #"{"user":{"id":"bob","is_active":true,"nickname":"bob","online":false}}"#)
        #expect(table.refusal("user.get", #"{"as_user_id":"bob"}"#, by: .server) == nil)
        #expect(desk.next() == #"{"user":{"id":"bob","is_active":true,"nickname":"bob","online":false}}"#)
        #expect(table.refusal("user.get", "{}", by: .server) == nil)
        #expect(desk.next() == "107")
        #expect(table.refusal("user.get", #"{"as_user_id":null,"user_id":"bob"}"#, by: .server) == nil)
        #expect(desk.next() == #"{"user":{"id":"bob","is_active":true,"nickname":"bob","online":false}}"#)
        #expect(table.refusal("channel.create", #"{"id":"general","as_user_id":"bob"}"#, by: .server) == nil)
        #expect(desk.next().contains(#""created_by":"bob""#))
    }

    @Test(arguments: [#""""#, "1", "true", "{}", #"["ann"]"#, #""a\u0000""#])
    func `the server can act only as a valid user id`(value: String) {
        let table = Desk().table()
        let rejection = table.refusal("user.get", #"{"as_user_id":\#(value)}"#, by: .server)
        #expect(rejection?.code == .invalidValue && rejection?.message.contains("as_user_id") == true)
    }

    @Test(arguments: [
        #"{"as_user_id":"bob"}"#, #"{"as\u005fuser_id":"bob"}"#, #"{"\u0061s_user_id":1}"#,
        #"{"user_id":"ann","as_user_id":"ann"}"#,
    ])
    func `1009: a user cannot act as another user, however the field is spelled`(body: String) {
        #expect(Desk().table().refusal("user.get", body)?.code == .serverOnly)
    }
}

/// 107, 1032 and 1018, each naming the field.
@Suite struct RequestDecodingTests {
    @Test(arguments: [
        "nothing", "[]", "1", #""text""#, "{", "{}}", "{} {}", #"{"channel_id":"a",}"#, #"{'channel_id':'a'}"#,
        #"{"channel_id":"a","channel_id":"b"}"#, #"{"channel_id":"a","channel\u005fid":"b"}"#, "\u{FEFF}{}", "null",
        #"{"channel_id":"\ud800","text":"x"}"#,
        "{\"channel_id\":\"a\nb\"}",
        #"{"channel_id":"a","at":01}"#, #"{"channel_id":"a","x":NaN}"#, #"{"channel_id":"a","x":+1}"#,
        #"{"channel_id":"a","x":1.}"#,
    ])
    func `107: the body must be a single JSON object`(body: String) {
        let table = Desk().table()
        for method in ["message.send", "message.list", "channel.join"] {
            #expect(table.refusal(method, body)?.code == .badRequest, "\(method)")
            #expect(table.refusal(method, body, by: .server)?.code == .badRequest, "\(method)")
        }
    }

    @Test func `107: invalid UTF-8, lone surrogates and unbounded nesting are refused`() {
        let table = Desk().table()
        let surrogates = #"{"text":"\udc00\ud800","channel_id":"a"}"#
        #expect(table.refusal("message.send", surrogates)?.code == .badRequest)
        for bad in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]] {
            let body = Array(#"{"channel_id":"general","text":""#.utf8) + bad + Array(#""}"#.utf8)
            #expect(table.refusal("message.send", body, by: .user(ann))?.code == .badRequest)
        }
        for depth in [65, 1_000, 100_000] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let body = #"{"channel_id":"general","text":"x","unknown":\#(nested)}"#
            #expect(table.refusal("message.send", body)?.code == .badRequest)
        }
        let many = (0..<5_000).map { #""k\#($0)":0"# }.joined(separator: ",")
        #expect(table.refusal("message.send", "{\(many)}")?.code == .badRequest)
    }

    @Test(arguments: [
        ("channel.join", "{}", "channel_id"), ("channel.join", "", "channel_id"),
        ("channel.join", #"{"channel_id":null}"#, "channel_id"), ("channel.join", #"{"channel_id":1}"#, "channel_id"),
        ("message.send", #"{"channel_id":"a","text":1}"#, "text"),
        ("message.send", #"{"channel_id":"a","kind":"video"}"#, "kind"),
        ("message.list", #"{"channel_id":"a","at":"now"}"#, "at"),
        ("message.list", #"{"channel_id":"a","at":1.5}"#, "at has an invalid value"),
        ("message.list", #"{"channel_id":"a","at":1e400}"#, "at has an invalid value"),
        ("message.list", #"{"channel_id":"a","at":9223372036854775808}"#, "at has an invalid value"),
        ("message.list", #"{"channel_id":"a","limit":true}"#, "limit"),
        ("channel.create", #"{"is_public":"yes"}"#, "is_public"), ("channel.create", #"{"is_public":1}"#, "is_public"),
        ("channel.create", #"{"metadata":{"k":1}}"#, "metadata.k"),
        ("channel.create", #"{"user_ids":"ann"}"#, "user_ids"),
        ("channel.invite", #"{"channel_id":"a"}"#, "user_ids"),
    ])
    func `107: a field of the wrong type is reported by name`(method: String, body: String, field: String) {
        let rejection = Desk().table().refusal(method, body)
        #expect(rejection?.code == .badRequest)
        #expect(rejection?.detail?.contains(field) == true, "\(rejection?.message ?? "")")
    }

    @Test(arguments: [
        ("channel.join", #"{"channel_id":""}"#, "channel_id"), ("channel.join", #"{"channel_id":"a/b"}"#, "channel_id"),
        ("channel.join", #"{"channel_id":"\#(String(repeating: "a", count: 101))"}"#, "channel_id"),
        ("message.get", #"{"channel_id":"a","message_id":"1"}"#, "message_id"),
        ("channel.invite", #"{"channel_id":"a","user_ids":["ann",""]}"#, "user_ids"),
        ("channel.create", #"{"operator_user_ids":["a\u0001"]}"#, "operator_user_ids"),
        ("message.list", #"{"channel_id":"a","next":1.5}"#, "next"),
        ("message.list", #"{"channel_id":"a","next":[]}"#, "next"),
        ("message.list", #"{"channel_id":"a","next":1e400}"#, "next"),
    ])
    func `1032: a field with an out-of-range value is reported by name`(method: String, body: String, field: String) {
        let rejection = Desk().table().refusal(method, body)
        #expect(rejection?.code == .invalidValue)
        #expect(rejection?.detail?.hasPrefix(field) == true, "\(rejection?.message ?? "")")
    }

    @Test func `1018: a field that this build does not support is refused, not ignored`() {
        let table = Desk().table()
        let fields: [(String, [String])] = [
            (UpdateMessage.method, UpdateMessage.notYet)
        ]
        let id = MessageID(high: 1, low: 1)
        for (method, names) in fields {
            #expect(!names.isEmpty)
            for name in names {
                let empty = #"{"channel_id":"a","message_id":"\#(id)","\#(name)":null}"#
                let rejection = table.refusal(method, #"{"channel_id":"a","message_id":"\#(id)","\#(name)":false}"#)
                #expect(rejection == Rejection(.featureDisabled, name))
                #expect(table.refusal(method, empty) == nil, "null is absent")
            }
        }
    }

    @Test func `a refusal never contains a field's value`() {
        let table = Desk().table()
        for body in [
            #"{"channel_id":"a","text":"x","unknown":{"secret":["secret"]}}"#,
            #"{"channel_id":{"secret":1},"text":"secret"}"#, #"{"channel_id":"sec/ret","text":"secret"}"#,
            #"{"channel_id":"a","text":["secret"]}"#, #"{"channel_id":"a","kind":"secret"}"#, "secret",
        ] {
            let rejection = table.refusal("message.send", body)
            #expect(rejection != nil && rejection?.message.contains("ecret") == false, "\(rejection?.message ?? "")")
        }
    }
}
