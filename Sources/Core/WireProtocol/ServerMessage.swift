import ChatModel

/// A message received by a client: a reply to a command, a push or a ping.
package enum ServerMessage: Equatable, Sendable {
    case ping
    case reply(id: UInt32, Reply)
    case push(channel: String, Push)

    package enum Reply: Equatable, Sendable {
        case error(code: Int, message: String, temporary: Bool)
        case connected(Connected)
        case subscribed(Subscribed)
        case unsubscribed
        case refreshed(ttl: UInt64?)
        /// The result of a command; `data` is JSON.
        case rpc(data: [UInt8])
        case pong
    }

    package enum Push: Equatable, Sendable {
        case publication(Publication)
        case subscribed(RoomPosition)
        case unsubscribed(code: UInt64, reason: String)
        case disconnected(code: UInt64, reason: String)
        /// A push that a chat client does not use (join, leave, message, …).
        case other
    }

    package struct Publication: Equatable, Sendable {
        /// The event's offset in its room; 0 for events that are not stored.
        package var offset: UInt64
        /// The event as JSON.
        package var data: [UInt8]
    }

    package struct Subscribed: Equatable, Sendable {
        package var position: RoomPosition
        package var wasRecovering: Bool
        package var recovered: Bool
        package var publications: [Publication]
    }

    package struct Connected: Equatable, Sendable {
        package var client: String
        package var ttl: UInt64?
        package var pingSeconds: UInt64
        package var wantsPong: Bool
        /// Belfry's data for the client, as JSON.
        package var data: [UInt8]
        package var subs: [String: Subscribed]
    }

    /// Decodes the messages of one text frame, in order.
    package static func decode(_ text: [UInt8]) throws(JSONSyntaxError) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        for fields in try JSONFields.sequence(text, limit: 65_536) { messages.append(try ServerMessage(fields)) }
        return messages
    }

    private init(_ fields: JSONFields) throws(JSONSyntaxError) {
        if let number = try fields.unsigned("id"), number > 0 {
            guard let id = UInt32(exactly: number) else { throw .wrongType(field: "id") }
            self = .reply(id: id, try Reply(fields))
        } else if let push = try fields.object("push") {
            self = .push(channel: try push.string("channel") ?? "", try Push(push))
        } else if fields.isEmpty {
            self = .ping
        } else {
            throw .wrongType(field: "reply")
        }
    }
}

extension ServerMessage.Reply {
    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        if let error = try fields.object("error") {
            self = .error(
                code: Int(clamping: try error.unsigned("code") ?? 0), message: try error.string("message") ?? "",
                temporary: try error.bool("temporary") ?? false)
        } else if let rpc = try fields.object("rpc") {
            self = .rpc(data: Array(rpc.raw("data") ?? []))
        } else if let connect = try fields.object("connect") {
            self = .connected(try ServerMessage.Connected(connect))
        } else if let subscribe = try fields.object("subscribe") {
            self = .subscribed(try ServerMessage.Subscribed(subscribe))
        } else if let refresh = try fields.object("refresh") {
            self = .refreshed(ttl: try refresh.bool("expires") == true ? try refresh.unsigned("ttl") : nil)
        } else if fields.raw("unsubscribe") != nil {
            self = .unsubscribed
        } else {
            self = .pong
        }
    }
}

extension ServerMessage.Push {
    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        if let publication = try fields.object("pub") {
            self = .publication(try ServerMessage.Publication(publication))
        } else if let subscribe = try fields.object("subscribe") {
            self = .subscribed(
                RoomPosition(
                    offset: try subscribe.unsigned("offset") ?? 0, epoch: try subscribe.string("epoch") ?? ""))
        } else if let unsubscribe = try fields.object("unsubscribe") {
            self = .unsubscribed(
                code: try unsubscribe.unsigned("code") ?? 0, reason: try unsubscribe.string("reason") ?? "")
        } else if let disconnect = try fields.object("disconnect") {
            self = .disconnected(
                code: try disconnect.unsigned("code") ?? 0, reason: try disconnect.string("reason") ?? "")
        } else {
            self = .other
        }
    }
}

extension ServerMessage.Publication {
    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        offset = try fields.unsigned("offset") ?? 0
        data = Array(fields.raw("data") ?? [])
    }
}

extension ServerMessage.Subscribed {
    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        position = RoomPosition(
            offset: try fields.unsigned("offset") ?? 0, epoch: try fields.string("epoch") ?? "")
        wasRecovering = try fields.bool("was_recovering") ?? false
        recovered = try fields.bool("recovered") ?? false
        publications = []
        for element in try fields.objects("publications") ?? [] {
            publications.append(try ServerMessage.Publication(try JSONFields(element)))
        }
    }
}

extension ServerMessage.Connected {
    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        client = try fields.string("client") ?? ""
        ttl = try fields.bool("expires") == true ? try fields.unsigned("ttl") : nil
        pingSeconds = try fields.unsigned("ping") ?? 0
        wantsPong = try fields.bool("pong") ?? false
        data = Array(fields.raw("data") ?? [])
        subs = [:]
        if let all = try fields.object("subs") {
            for (name, sub) in try all.objects() { subs[name] = try ServerMessage.Subscribed(sub) }
        }
    }
}
