import ChatModel
import FoundationEssentials
import HTTPTypes
import LiveServers
import Testing

/// The scene of `AuthorizationScene` on the nodes of a cluster: each request goes to the next node. Users and channels
/// have names of their own in each scene, because all scenes share the servers.
struct LiveAuthorizationScene {
    private let servers: LiveServers
    private let standing: Standing
    /// What replaces whole strings of JSON bodies.
    private var names: [String: String]
    private let sue: HTTPFields

    init(_ standing: Standing, in kind: ChannelKind, _ servers: LiveServers, serial: Int) async throws {
        self.servers = servers
        self.standing = standing
        let renamed = ["ann", "bob", "cat", "sue", "dan", "general", "tea"]
        names = Dictionary(uniqueKeysWithValues: renamed.map { ($0, "\($0)\(serial)") })
        sue = [.authorization: "Bearer \(try servers.token(for: "sue\(serial)"))"]
        try await does("user.upsert_many", #""users":[{"id":"ann"},{"id":"bob"},{"id":"cat"},{"id":"sue"}]"#)
        let webhook = #""url":"https://a.example","events":["push"],"secret":"0123456789abcdef01234567""#
        try await does("webhook.set", #""id":"a",\#(webhook)"#)
        try await beginImport()
        let people =
            standing.isInPair
            ? #""user_ids":["sue"],"is_distinct":true"# : #""operator_user_ids":["ann"],"user_ids":["bob"]"#
        try await does(
            "channel.create", #""id":"general","is_public":\#(kind.isPublic),\#(people)"#,
            as: standing.isInPair ? "bob" : "ann")
        let report = try await does("report.create", #""category":"spam","user_id":"cat""#, as: "bob")
        names["$report"] = try JSONDecoder().decode(CreateReport.Response.self, from: Data(report)).report.id
        names["$parent"] = try await says(#""text":"parent""#)
        names["$reply"] = try await says(#""text":"reply","parent_message_id":"$parent""#)
        names["$message"] = try await says(#""text":"message""#)
        // A stranger has no message, so the attempt uses bob's.
        names["$own"] = names["$message"]
        try await place()
        if kind.isFrozen { try await does("channel.freeze", #""channel_id":"general""#) }
    }

    /// The nodes refuse an import until each has heard of all others.
    private mutating func beginImport() async throws {
        for _ in 0..<600 {
            do {
                _ = try await does("import.begin", #""import_id":"begun","source":"s""#)
                return
            } catch let refusal as LiveRefusal where refusal.code == 1040 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        Issue.record("the nodes have not heard of each other")
    }

    /// Puts sue into her standing.
    private mutating func place() async throws {
        guard standing != .stranger, standing != .server else { return }
        if standing == .invited {
            try await does("user.preferences", #""auto_accept_invitations":false"#, as: "sue")
        }
        if !standing.isInPair {
            try await does("channel.invite", #""channel_id":"general","user_ids":["sue"]"#, as: "ann")
        }
        guard standing != .invited else { return }
        names["$own"] = try await says(#""text":"mine""#, as: "sue")
        let (her, channel) = (#""channel_id":"general","user_id":"sue""#, #""channel_id":"general""#)
        switch standing {
        case .former: try await does("channel.leave", channel, as: "sue")
        case .muted: try await does("member.mute", her, as: "ann")
        case .mutedOperator:
            try await does("operator.add", channel + #","user_ids":["sue"]"#, as: "ann")
            try await does("member.mute", her)
        case .banned: try await does("member.ban", her, as: "ann")
        case .operator: try await does("operator.add", channel + #","user_ids":["sue"]"#, as: "ann")
        case .deactivated: try await does("user.deactivate", #""user_id":"sue""#)
        case .appMuted: try await does("app.mute", #""user_id":"sue""#)
        case .appBanned: try await does("app.ban", #""user_id":"sue""#)
        case .blocked: try await does("user.block", #""user_id":"sue""#, as: "bob")
        case .blockedOperator:
            try await does("operator.add", channel + #","user_ids":["sue"]"#)
            try await does("user.block", #""user_id":"sue""#, as: "bob")
        case .appAdmin: try await does("user.upsert", #""id":"sue","is_app_admin":true"#)
        case .stripped, .strippedOperator:
            if standing == .strippedOperator {
                try await does("operator.add", channel + #","user_ids":["sue"]"#, as: "ann")
            }
            try await does("channel.update", channel + #","custom_type":"strict""#)
            for role in ["member", "operator"] {
                try await does("role.set", #""custom_type":"strict","role":"\#(role)","permissions":[]"#)
            }
        case .stranger, .invited, .member, .server: break
        }
    }

    /// - Parameter user: The user to act for; `nil` for the app's backend.
    @discardableResult
    private func does(_ method: String, _ fields: String, as user: String? = nil) async throws -> [UInt8] {
        let named = [fields, user.map { #""as_user_id":"\#($0)""# } ?? ""].filter { !$0.isEmpty }
        return try await servers.post(method, body(named.joined(separator: ","))).get()
    }

    private func says(_ fields: String, as user: String = "bob") async throws -> String {
        let answer = try await does("message.send", #""channel_id":"general",\#(fields)"#, as: user)
        return try JSONDecoder().decode(MessageResponse.self, from: Data(answer)).message.id.description
    }

    private func body(_ fields: String) -> String {
        let parts = "{\(fields)}".split(separator: "\"", omittingEmptySubsequences: false)
        return parts.map { names[String($0)] ?? String($0) }.joined(separator: "\"")
    }

    /// - Returns: 0, or the error code.
    func code(_ row: AuthorizationRow) async throws -> Int {
        let who = standing == .server ? LiveServers.key : sue
        switch try await servers.post(row.method, body(row.fields), who) {
        case .success: return 0
        case .failure(let refusal): return refusal.code
        }
    }
}
