import API
import ChatDomain
import ChatEngine
import ChatModel
import FoundationEssentials
import Gateway
import Testing

/// A channel in which ann is an operator and bob writes; `sue` has one of the standings.
struct AuthorizationScene {
    static let bystander: UserID = "sue"
    private let desk = Desk()
    private let engine: ChatEngine
    private let table: CommandTable
    /// The ids by their placeholders in bodies.
    private var ids: [String: String] = [:]
    private let standing: Standing
    private let general: ChannelID
    private let sent = FileID(high: 1, low: 1)
    private let unsent = FileID(high: 1, low: 2)
    private let upload = FileID(high: 1, low: 3)

    init(_ standing: Standing, in kind: ChannelKind, _ tokens: TokenVerifier) throws {
        engine = desk.engine()
        table = CommandTable(engine: engine, tokens: tokens)
        self.standing = standing
        general = try #require(ChannelID("general"))
        for user in ["ann", "bob", "cat", "sue"] { try does("user.upsert", #"{"id":"\#(user)"}"#, .server) }
        let webhook = #""url":"https://a.example","events":["push"],"secret":"0123456789abcdef01234567""#
        try does("webhook.set", #"{"id":"a",\#(webhook)}"#, .server)
        try does("import.begin", #"{"import_id":"begun","source":"s"}"#, .server)
        let people = #""operator_user_ids":["ann"],"user_ids":["bob"]"#
        let (creator, others) =
            standing.isInPair ? ("bob", #""user_ids":["sue"],"is_distinct":true"#) as (UserID, String) : ("ann", people)
        try does("channel.create", #"{"id":"general","is_public":\#(kind.isPublic),\#(others)}"#, .user(creator))
        let report = try does("report.create", #"{"category":"spam","user_id":"cat"}"#, .user("bob"))
        ids["$report"] = try JSONDecoder().decode(CreateReport.Response.self, from: Data(report.utf8)).report.id
        ids["$parent"] = try says(#""text":"parent""#)
        ids["$reply"] = try says(#""text":"reply","parent_message_id":"\#(ids["$parent"] ?? "")""#)
        ids["$message"] = try says(#""text":"message""#)
        // A stranger has no message, so the attempt uses bob's.
        ids["$own"] = ids["$message"]
        for file in [sent, unsent] { try #require(register(file, .user("bob")) == 0) }
        _ = try says(#""kind":"file","files":[{"id":"\#(sent)"}]"#)
        try place()
        if kind.isFrozen { try does("channel.freeze", #"{"channel_id":"general"}"#, .server) }
        for other: UserID in ["bob", "cat"] {
            engine.attach(
                AttachRequest(
                    connection: ConnectionID(loop: 0, serial: 1), command: 1,
                    identity: Identity(user: other, validFor: nil, issuedAt: nil),
                    subscribe: .joined, positions: [:]))
        }
    }

    /// The types of the events that the last attempt sent to bob, who is in the channel, and cat, who is not.
    var heardByOthers: [String] { desk.heard }

    /// Puts sue into her standing.
    private mutating func place() throws {
        guard standing != .stranger, standing != .server else { return }
        if standing == .invited {
            try does("user.preferences", #"{"auto_accept_invitations":false}"#, .user("sue"))
        }
        if !standing.isInPair {
            try does("channel.invite", #"{"channel_id":"general","user_ids":["sue"]}"#, .user("ann"))
        }
        guard standing != .invited else { return }
        ids["$own"] = try says(#""text":"mine""#, "sue")
        let sue = #"{"channel_id":"general","user_id":"sue"}"#
        switch standing {
        case .former: try does("channel.leave", #"{"channel_id":"general"}"#, .user("sue"))
        case .muted: try does("member.mute", sue, .user("ann"))
        case .mutedOperator:
            try does("operator.add", #"{"channel_id":"general","user_ids":["sue"]}"#, .user("ann"))
            try does("member.mute", sue, .server)
        case .banned: try does("member.ban", sue, .user("ann"))
        case .operator: try does("operator.add", #"{"channel_id":"general","user_ids":["sue"]}"#, .user("ann"))
        case .deactivated: try does("user.deactivate", #"{"user_id":"sue"}"#, .server)
        case .appMuted: try does("app.mute", #"{"user_id":"sue"}"#, .server)
        case .appBanned: try does("app.ban", #"{"user_id":"sue"}"#, .server)
        case .blocked: try does("user.block", #"{"user_id":"sue"}"#, .user("bob"))
        case .blockedOperator:
            try does("operator.add", #"{"channel_id":"general","user_ids":["sue"]}"#, .server)
            try does("user.block", #"{"user_id":"sue"}"#, .user("bob"))
        case .appAdmin: try does("user.upsert", #"{"id":"sue","is_app_admin":true}"#, .server)
        case .stripped, .strippedOperator:
            if standing == .strippedOperator {
                try does("operator.add", #"{"channel_id":"general","user_ids":["sue"]}"#, .user("ann"))
            }
            try does("channel.update", #"{"channel_id":"general","custom_type":"strict"}"#, .server)
            for role in ["member", "operator"] {
                try does("role.set", #"{"custom_type":"strict","role":"\#(role)","permissions":[]}"#, .server)
            }
        case .stranger, .invited, .member, .server: break
        }
    }

    @discardableResult
    private func does(_ method: String, _ body: String, _ who: Caller) throws -> String {
        try #require(table.refusal(method, body, by: who) == nil)
        let answer = desk.next()
        try #require(answer.hasPrefix("{"), "\(method) \(body): \(answer)")
        return answer
    }

    private func says(_ fields: String, _ user: UserID = "bob") throws -> String {
        let answer = try does("message.send", #"{"channel_id":"general",\#(fields)}"#, .user(user))
        return try JSONDecoder().decode(MessageResponse.self, from: Data(answer.utf8)).message.id.description
    }

    /// - Parameter isNamed: Whether the server key acts for sue, instead of her own token.
    /// - Returns: 0, or the error code.
    func code(_ row: AuthorizationRow, isNamed: Bool = false) -> Int {
        let fields = [row.fields, isNamed ? #""as_user_id":"sue""# : ""].filter { !$0.isEmpty }
        var body = "{" + fields.joined(separator: ",") + "}"
        for (name, id) in ids { body.replace(name, with: id) }
        settle()
        let who = standing == .server || isNamed ? Caller.server : .user(Self.bystander)
        if let refusal = table.refusal(row.method, body, by: who) { return refusal.code.rawValue }
        return answered()
    }

    /// Returns the engine's answer to the HTTP layer's request for file access: 0, or the error code.
    func fileCode(_ row: AuthorizationRow) -> Int {
        let who = standing == .server ? Caller.server : .user(Self.bystander)
        switch row.method {
        case PrepareUpload.method: return look(PrepareUpload(channelID: general), who)
        case RegisterFile.method: return register(upload, who)
        default: return look(GetFile(id: row.right == .owner ? unsent : sent), who)
        }
    }

    private let address = ReturnAddress(connection: ConnectionID(loop: 0, serial: 1), command: 1)

    @discardableResult
    private func look(_ query: some Query, _ who: Caller) -> Int {
        engine.query(query, as: who, answerTo: address)
        return answered()
    }

    private func register(_ file: FileID, _ who: Caller) -> Int {
        let request = RegisterFile(id: file, channelID: general, name: "a.png", size: 1, mimeType: "image/png")
        engine.change(request, as: who, answerTo: address)
        return answered()
    }

    /// Waits until nothing earlier is in flight.
    private func settle() {
        look(ListEmojis(), .server)
        desk.forgetWhatWasHeard()
    }

    private func answered() -> Int {
        let answer = desk.next()
        return answer.hasPrefix("{") ? 0 : Int(answer) ?? -1
    }
}
