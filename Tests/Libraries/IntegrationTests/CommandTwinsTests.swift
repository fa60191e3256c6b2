import API
import Foundation
import HTTPTypes
import Testing

/// Every command has the same meaning over RPC and HTTP: one script runs both ways, each on a fresh server, and the
/// responses are equal except for ids, tokens and times.
@Suite struct CommandTwinsTests {
    private struct Step {
        let user: String
        let method: String
        let data: String
        init(_ user: String, _ method: String, _ data: String) {
            self.user = user
            self.method = method
            self.data = data
        }
    }

    /// `@n` is the id of the n-th sent message, from 1.
    private let script: [Step] = [
        Step("ann", "user.get", "{}"),
        Step("bob", "user.get", #"{"user_id":"ann"}"#),
        Step("bob", "user.get", #"{"user_id":"nobody"}"#),
        Step("bob", "user.get", #"{"user_id":""}"#),
        Step("bob", "user.preferences", #"{"auto_accept_invitations":false}"#),
        Step("bob", "user.preferences", #"{"auto_accept_invitations":"no"}"#),
        Step("bob", "user.preferences", #"{"push":{}}"#),
        Step("bob", "user.preferences", #"{"push":"mention_only"}"#),
        Step("bob", "user.register_device", #"{"provider":"fcm","token":"t1"}"#),
        Step("bob", "user.register_device", #"{"provider":"pigeon","token":"t1"}"#),
        Step("bob", "user.unregister_device", #"{"provider":"fcm","token":"t1"}"#),
        Step("ann", "user.upsert", #"{"id":"cat"}"#),
        Step("ann", "user.upsert_many", #"{"users":[{"id":"dan"},{"id":"cat","nickname":"Cat"}]}"#),
        Step("ann", "user.upsert_many", #"{"users":[{"id":"eve"},{"id":""}]}"#),
        Step("ann", "user.upsert_many", #"{"users":[]}"#),
        Step("bob", "user.list", #"{"user_ids":["cat","ann","nobody","bob"],"limit":2}"#),
        Step("bob", "user.list", #"{"user_ids":[]}"#),
        Step("bob", "user.list", "{}"),
        Step("bob", "user.list_all", "{}"),
        Step("ann", "user.deactivate", #"{"user_id":"bob"}"#),
        Step("ann", "user.activate", #"{"user_id":"bob"}"#),
        Step("ann", "user.delete", #"{"user_id":"bob","delete_messages":true}"#),
        Step("ann", "user.disconnect", #"{"user_id":"bob"}"#),
        Step("ann", "guest.create", #"{"nickname":"Gus"}"#),
        Step("ann", "user.revoke_tokens", #"{"user_id":"bob","before":1}"#),
        Step("ann", "user.revoke_tokens", #"{"user_id":"bob","before":"now"}"#),
        Step("ann", "channel.create", #"{"id":"general","name":"General","user_ids":["bob"]}"#),
        Step("ann", "channel.create", #"{"id":"general"}"#),
        Step("ann", "channel.create", #"{"id":"no spaces"}"#),
        Step("ann", "channel.upsert_many", #"{"channels":[{"id":"tea","user_ids":["ann"]},{"id":"general"}]}"#),
        Step("ann", "member.add", #"{"channel_id":"general","user_ids":["cat"]}"#),
        Step("ann", "channel.set_retention", #"{"channel_id":"general","max_messages":1000}"#),
        Step("ann", "channel.create", #"{"is_super":true,"is_distinct":true}"#),
        Step("ann", "channel.create", #"{"id":"whisper","is_ephemeral":true}"#),
        Step("ann", "message.send", #"{"channel_id":"whisper","text":"psst","client_id":"w1"}"#),
        Step("ann", "message.list", #"{"channel_id":"whisper"}"#),
        Step("ann", "message.delete", #"{"channel_id":"whisper","message_id":"@1"}"#),
        Step("cat", "channel.get", #"{"channel_id":"general"}"#),
        Step("ann", "channel.set_push", #"{"channel_id":"general","push":"off"}"#),
        Step("bob", "channel.get", #"{"channel_id":"general"}"#),
        Step("bob", "message.list", #"{"channel_id":"general"}"#),
        Step("bob", "channel.accept", #"{"channel_id":"general"}"#),
        Step("bob", "channel.accept", #"{"channel_id":"general"}"#),
        Step("ann", "channel.invite", #"{"channel_id":"general","user_ids":["bob","cat","nobody"]}"#),
        Step("ann", "channel.invite", #"{"channel_id":"general","user_ids":[]}"#),
        Step("cat", "channel.leave", #"{"channel_id":"general"}"#),
        Step("cat", "channel.join", #"{"channel_id":"general"}"#),
        Step("cat", "channel.decline", #"{"channel_id":"general"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"hello","client_id":"a1"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"hello","client_id":"a1"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"other","client_id":"a1"}"#),
        Step("bob", "message.send", #"{"channel_id":"general","text":"hi","parent_message_id":"@2"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"deep","parent_message_id":"@3"}"#),
        Step("ann", "message.send", #"{"channel_id":"general"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"x","files":["f"]}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":7}"#),
        Step("ann", "message.send", #"{"channel_id":"general","kind":"file","files":[{"url":"https://a.b/c"}]}"#),
        Step("ann", "message.send", #"{"channel_id":"general","kind":"file","files":[{"id":"c"}]}"#),
        Step(
            "ann", "message.send",
            #"{"channel_id":"general","text":"x","meta_arrays":{"a":["b"]},"critical_alert":{"name":"a","volume":2}}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"x","as_user_id":"bob"}"#),
        Step("cat", "message.send", #"{"channel_id":"general","text":"x"}"#),
        Step("bob", "message.get", #"{"channel_id":"general","message_id":"@2"}"#),
        Step("bob", "message.get", #"{"channel_id":"general","message_id":"nonsense"}"#),
        Step("bob", "message.list", #"{"channel_id":"general","replies":"all","include_thread":true}"#),
        Step("bob", "message.list", #"{"channel_id":"general","limit":1000}"#),
        Step("bob", "message.list", #"{"channel_id":"general","message_id":"@2","previous":1,"next":1}"#),
        Step("bob", "thread.replies", #"{"channel_id":"general","parent_message_id":"@2"}"#),
        Step("ann", "thread.list", #"{"limit":5}"#),
        Step("ann", "thread.list", #"{"limit":0}"#),
        Step("ann", "thread.list", #"{"watch":false}"#),
        Step("ann", "thread.list", #"{"watch":"yes"}"#),
        Step("bob", "thread.get", #"{"channel_id":"general","parent_message_id":"@2"}"#),
        Step("bob", "thread.update", #"{"channel_id":"general","parent_message_id":"@2","title":"Greetings"}"#),
        Step("ann", "thread.mark_read", #"{"channel_id":"general","parent_message_id":"@2"}"#),
        Step("ann", "thread.mark_unread", #"{"channel_id":"general","parent_message_id":"@2","message_id":"@3"}"#),
        Step("ann", "read.counts", #"{}"#),
        Step("ann", "read.mark", #"{"channel_id":"general"}"#),
        Step("ann", "read.mark_unread", #"{"channel_id":"general","message_id":"@3"}"#),
        Step("ann", "read.receipts", #"{"channel_id":"general","message_id":"@3"}"#),
        Step("ann", "channel.get", #"{"channel_id":"general"}"#),
        Step("ann", "read.mark_all", #"{}"#),
        Step("cat", "read.mark", #"{"channel_id":"general"}"#),
        Step("bob", "message.search", #"{"query":"HEL*"}"#),
        Step("cat", "message.search", #"{"query":"hello","channel_id":"general"}"#),
        Step("bob", "message.search", #"{"query":" "}"#),
        Step("bob", "message.list", #"{"channel_id":"general","message_id":"@1","previous":1,"next":1}"#),
        Step("bob", "thread.replies", #"{"channel_id":"general","parent_message_id":"@1"}"#),
        Step("bob", "emoji.list", "{}"),
        Step("bob", "emoji.create", #"{"key":"party","character":"x"}"#),
        Step("bob", "emoji.delete", #"{"key":"sob"}"#),
        Step("bob", "reaction.add", #"{"channel_id":"general","message_id":"@2","key":"sob"}"#),
        Step("ann", "reaction.add", #"{"channel_id":"general","message_id":"@2","key":"sob"}"#),
        Step("ann", "reaction.add", #"{"channel_id":"general","message_id":"@2","key":"unheard_of"}"#),
        Step("bob", "reaction.remove", #"{"channel_id":"general","message_id":"@2","key":"sob"}"#),
        Step("bob", "reaction.list_users", #"{"channel_id":"general","message_id":"@2","key":"sob"}"#),
        Step("bob", "settings.get", "{}"),
        Step("bob", "webhook.set", "{}"),
        Step("bob", "webhook.list", "{}"),
        Step("bob", "webhook.delete", "{}"),
        Step("bob", "webhook.dead_letters", "{}"),
        Step("bob", "webhook.replay", "{}"),
        Step("bob", "settings.update", #"{"reactions":false}"#),
        Step("bob", "import.begin", #"{"import_id":"i","source":"s"}"#),
        Step("bob", "import.add", #"{"import_id":"i","first_line":1,"lines":[{"type":"end"}]}"#),
        Step("bob", "import.status", #"{"import_id":"i"}"#),
        Step("bob", "import.finish", #"{"import_id":"i"}"#),
        Step("bob", "token.create", #"{"user_id":"ann"}"#),
        Step("bob", "message.list", #"{"channel_id":"general","include_reactions":true}"#),
        Step("bob", "channel.list", "{}"),
        Step("cat", "channel.list", #"{"include_empty":true,"limit":1}"#),
        Step("cat", "channel.list", #"{"order":"age"}"#),
        Step("cat", "channel.list", #"{"order":"metadata_value"}"#),
        Step("bob", "channel.hide", #"{"channel_id":"general","allow_auto_unhide":false}"#),
        Step("bob", "channel.hide", #"{"channel_id":"general","hide_previous_messages":"yes"}"#),
        Step("cat", "channel.hide", #"{"channel_id":"general"}"#),
        Step("bob", "channel.unhide", #"{"channel_id":"general"}"#),
        Step("ann", "channel.freeze", #"{"channel_id":"general"}"#),
        Step("ann", "message.update", #"{"channel_id":"general","message_id":"@2","text":"hello!","data":"{}"}"#),
        Step("ann", "message.update", #"{"channel_id":"general","message_id":"@2","text":""}"#),
        Step("bob", "message.update", #"{"channel_id":"general","message_id":"@2","text":"mine"}"#),
        Step("ann", "message.update", #"{"channel_id":"general","message_id":"@2","files":["f"]}"#),
        Step("ann", "message.delete", #"{"channel_id":"general","message_id":"@2"}"#),
        Step("bob", "message.delete", #"{"channel_id":"general","message_id":"@3"}"#),
        Step("bob", "message.get", #"{"channel_id":"general","message_id":"@3"}"#),
        Step("ann", "message.delete", #"{"channel_id":"general","message_id":"@2"}"#),
        Step("ann", "message.list", #"{"channel_id":"general","replies":"all","include_deleted":true}"#),
        Step("bob", "channel.reset_history", #"{"channel_id":"general"}"#),
        Step("bob", "message.list", #"{"channel_id":"general"}"#),
        Step("bob", "typing.start", #"{"channel_id":"general"}"#),
        Step("ann", "typing.start", #"{"channel_id":"general"}"#),
        Step("ann", "typing.stop", #"{"channel_id":"general"}"#),
        Step("ann", "typing.start", "{}"),
        Step("bob", "report.create", #"{"category":"spam","channel_id":"general","message_id":"@1"}"#),
        Step("bob", "report.create", #"{"category":"spam","channel_id":"general","user_id":"ann"}"#),
        Step("bob", "report.create", #"{"category":"boring","user_id":"ann"}"#),
        Step("bob", "report.list", "{}"),
        Step("bob", "user.export", #"{"user_id":"bob","limit":3}"#),
        Step("bob", "user.export", #"{"user_id":"ann"}"#),
        Step("bob", "user.export", #"{"user_id":"bob","next":"1"}"#),
        Step("bob", "channel.export", #"{"channel_id":"general"}"#),
        Step("bob", "channel.leave", #"{"channel_id":"general"}"#),
        Step("ann", "channel.create", #"{"id":"hall","user_ids":["cat","bob"],"operator_user_ids":["ann"]}"#),
        Step("ann", "channel.freeze", #"{"channel_id":"hall"}"#),
        Step("cat", "message.send", #"{"channel_id":"hall","text":"x"}"#),
        Step("cat", "channel.unfreeze", #"{"channel_id":"hall"}"#),
        Step("ann", "operator.add", #"{"channel_id":"hall","user_ids":["cat"]}"#),
        Step("ann", "operator.add", #"{"channel_id":"hall","user_ids":["nobody"]}"#),
        Step("cat", "operator.list", #"{"channel_id":"hall"}"#),
        Step("cat", "operator.list", #"{"channel_id":"hall","limit":1}"#),
        Step("cat", "operator.remove", #"{"channel_id":"hall","user_ids":["ann"]}"#),
        Step("cat", "channel.unfreeze", #"{"channel_id":"hall"}"#),
        Step("cat", "member.mute", #"{"channel_id":"hall","user_id":"bob","seconds":3600,"description":"loud"}"#),
        Step("bob", "message.send", #"{"channel_id":"hall","text":"x"}"#),
        Step("bob", "channel.get", #"{"channel_id":"hall"}"#),
        Step("bob", "member.list", #"{"channel_id":"hall","order":"operator_then_nickname","limit":2}"#),
        Step("bob", "member.list", #"{"channel_id":"hall","muted":true,"nickname_prefix":"B"}"#),
        Step("bob", "member.list", #"{"channel_id":"hall","order":"age"}"#),
        Step("cat", "member.list_muted", #"{"channel_id":"hall"}"#),
        Step("bob", "member.list_muted", #"{"channel_id":"hall"}"#),
        Step("cat", "member.unmute", #"{"channel_id":"hall","user_id":"bob"}"#),
        Step("cat", "member.ban", #"{"channel_id":"hall","user_id":"bob","seconds":0}"#),
        Step("cat", "member.ban", #"{"channel_id":"hall","user_id":"cat"}"#),
        Step("cat", "member.ban", #"{"channel_id":"hall","user_id":"bob"}"#),
        Step("bob", "message.send", #"{"channel_id":"hall","text":"x"}"#),
        Step("cat", "channel.invite", #"{"channel_id":"hall","user_ids":["bob"]}"#),
        Step("cat", "member.list_banned", #"{"channel_id":"hall"}"#),
        Step("cat", "member.unban", #"{"channel_id":"hall","user_id":"bob"}"#),
        Step("cat", "channel.update", #"{"channel_id":"hall","name":"Hall","data":"d","is_public":true}"#),
        Step("cat", "channel.update", #"{"channel_id":"hall","is_distinct":true}"#),
        Step("cat", "channel.update", #"{"channel_id":"hall","is_ephemeral":true}"#),
        Step("bob", "channel.list_public", #"{"include_empty":true,"order":"name","name_contains":"hal"}"#),
        Step("bob", "channel.list_public", #"{"membership":"some"}"#),
        Step("cat", "channel.set_metadata", #"{"channel_id":"hall","metadata":{"a":"1","b":"2"}}"#),
        Step("cat", "channel.delete_metadata", #"{"channel_id":"hall","keys":["a","c"]}"#),
        Step("bob", "channel.delete", #"{"channel_id":"hall"}"#),
        Step("ann", "channel.create", #"{"id":"shed","operator_user_ids":["ann"]}"#),
        Step("ann", "channel.delete", #"{"channel_id":"shed"}"#),
        Step("ann", "channel.delete", #"{"channel_id":"shed"}"#),
        Step("cat", "member.remove", #"{"channel_id":"hall","user_id":"ann"}"#),
        Step("bob", "member.remove", #"{"channel_id":"hall","user_id":"cat"}"#),
        Step("cat", "member.moderation_log", #"{"channel_id":"hall"}"#),
        Step("bob", "member.moderation_log", #"{"channel_id":"hall"}"#),
        Step("bob", "user.block", #"{"user_id":"ann"}"#),
        Step("bob", "user.block", #"{"user_id":"bob"}"#),
        Step("bob", "user.list_blocked", "{}"),
        Step("bob", "user.unblock", #"{"user_id":"ann"}"#),
        Step("bob", "user.search", #"{"query":"a"}"#),
        Step("bob", "app.ban", #"{"user_id":"ann"}"#),
        Step("bob", "app.unban", #"{"user_id":"ann"}"#),
        Step("bob", "app.list_banned", "{}"),
        Step("bob", "app.mute", #"{"user_id":"ann"}"#),
        Step("bob", "app.unmute", #"{"user_id":"ann"}"#),
        Step("bob", "app.list_muted", "{}"),
        Step("bob", "app.moderation_log", "{}"),
        Step("bob", "report.resolve", #"{"report_id":"r"}"#),
        Step("bob", "report.dismiss", #"{"report_id":"r"}"#),
        Step("bob", "report.delete", #"{"report_id":"r"}"#),
        Step("bob", "role.set", #"{"role":"member"}"#),
        Step("bob", "role.list", "{}"),
        Step("bob", "hook.set", "{}"),
        Step("bob", "hook.get", "{}"),
        Step("bob", "text_rule.set", #"{"rules":[]}"#),
        Step("bob", "text_rule.delete", #"{"ids":[]}"#),
        Step("bob", "text_rule.list", "{}"),
        Step("bob", "text_rule.test", #"{"text":"x"}"#),
        Step("cat", "operator.remove_all", #"{"channel_id":"hall"}"#),
        Step("bob", "no.such", "{}"),
        Step("bob", "message.send", "[]"),
    ]

    @Test func `the script covers every command in the table`() {
        #expect(Set(script.map(\.method)).isSuperset(of: CommandTable.declarations.map(\.method)))
    }

    @Test func `RPC and HTTP give the same response to every command`() async throws {
        let (first, second) = (try await TestServer(), try await TestServer())
        var sessions: [String: ChatPeer] = [:]
        for user in ["ann", "bob", "cat"] { sessions[user] = try await first.connect(user) }
        // These users must also exist on the second server, because responses name them.
        var listeners: [ChatPeer] = []
        for user in ["ann", "bob", "cat"] { listeners.append(try await second.connect(user)) }
        var (rpcMasks, httpMasks) = (Masks(), Masks())
        for step in script {
            let session = try #require(sessions[step.user])
            let data = try JSONSerialization.jsonObject(with: Data(rpcMasks.fill(step.data).utf8))
            let command = try JSONSerialization.data(withJSONObject: [
                "id": 4_000_000, "rpc": ["method": step.method, "data": data],
            ])
            try session.send(String(decoding: command, as: UTF8.self))
            let reply = try await reply(to: session)
            let rpc = reply["rpc"]?["data"] ?? reply
            let fields: HTTPFields = [.authorization: "Bearer \(try await second.token(step.user))"]
            let (status, http) = try await second.http(step.method, httpMasks.fill(step.data), fields)
            rpcMasks.remember(rpc)
            httpMasks.remember(http)
            let expected = rpcMasks.hide(rpc["error"] ?? rpc)
            #expect(expected == httpMasks.hide(http["error"] ?? http), "\(step.user) \(step.method) \(step.data)")
            #expect((status == 200) == (http["error"] == nil))
        }
        await first.stop()
        await second.stop()
        #expect(listeners.count == sessions.count)
    }

    private func reply(to session: ChatPeer) async throws -> JSON {
        while true {
            guard case .envelope(let envelope) = try await session.hear() else { throw Peer.Closed() }
            if envelope["id"]?.int == 4_000_000 { return envelope }
        }
    }
}

/// Makes the responses of two servers comparable.
private struct Masks {
    private var messageIDs: [String] = []
    private var reportIDs: [String] = []

    mutating func remember(_ answer: JSON) {
        if let id = answer["message"]?["id"]?.string, !messageIDs.contains(id) { messageIDs.append(id) }
        if let id = answer["report"]?["id"]?.string { reportIDs.append(id) }
    }

    func fill(_ text: String) -> String {
        var text = text
        for (index, id) in messageIDs.enumerated() { text.replace("@\(index + 1)", with: id) }
        return text
    }

    func hide(_ answer: JSON) -> String {
        var text = answer.description
        for (index, id) in messageIDs.enumerated() { text.replace(id, with: "@\(index + 1)") }
        for id in reportIDs { text.replace(id, with: "<report>") }
        return text.replacing(/:1[0-9]{12}/, with: ":<time>").replacing(/"epoch":"[0-9a-z]+"/, with: "<epoch>")
    }
}
