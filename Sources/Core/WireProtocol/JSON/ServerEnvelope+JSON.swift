import ChatModel

/// Encoding in the JSON form: one object per envelope.
extension ServerEnvelope {
    var json: [UInt8] {
        switch self {
        case .ping: [UInt8(ascii: "{"), UInt8(ascii: "}")]
        case .error(let id, let rejection): Self.reply(id) { rejection.write(to: &$0) }
        case .rpc(let id, let data):
            Self.reply(id, capacity: data.count + 40) { $0.object("rpc") { $0.raw("data", data) } }
        case .unsubscribed(let id): Self.reply(id) { $0.object("unsubscribe") { _ in } }
        case .pong(let id): Self.reply(id) { $0.object("ping") { _ in } }
        case .refreshed(let id, let client, let version, let ttl):
            Self.reply(id) {
                $0.object("refresh") {
                    $0.field("client", client)
                    $0.field("version", version)
                    $0.expiry(ttl)
                }
            }
        case .subscribed(let id, let result):
            Self.reply(id) { writer in writer.object("subscribe") { result.write(to: &$0) } }
        case .connected(let id, let result):
            Self.reply(id) { writer in writer.object("connect") { result.write(to: &$0) } }
        case .publication(let room, let publication):
            Self.push(room, capacity: publication.largestSize + room.utf8.count + 64) {
                $0.object("pub") { publication.write(to: &$0) }
            }
        case .gained(let room, let position):
            Self.push(room, capacity: 192) { $0.object("subscribe") { $0.beginning(at: position) } }
        case .lost(let room, let code):
            Self.push(room, capacity: 128) {
                $0.object("unsubscribe") {
                    $0.field("code", UInt64(code.rawValue))
                    $0.field("reason", code.reason)
                }
            }
        }
    }

    /// Returns the body of an HTTP error response: `{"error":{…}}`.
    package static func httpError(_ rejection: Rejection) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { rejection.write(to: &$0) }
        return writer.bytes
    }

    private static func push(_ room: String, capacity: Int, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.object {
            $0.object("push") {
                $0.field("channel", room)
                body(&$0)
            }
        }
        return writer.bytes
    }

    private static func reply(
        _ id: UInt32, capacity: Int = 128, _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.object {
            $0.field("id", UInt64(id))
            body(&$0)
        }
        return writer.bytes
    }
}

extension Rejection {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object("error") {
            $0.field("code", UInt64(code.rawValue))
            $0.field("message", message)
            if code.isTemporary { $0.field("temporary", true) }
            if let wait = retryAfterMilliseconds { $0.field("retry_after_ms", UInt64(clamping: wait)) }
        }
    }
}

extension ConnectResult {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("client", client)
        writer.field("version", version)
        writer.field("session", session)
        writer.field("node", node)
        writer.expiry(ttl)
        writer.field("ping", pingSeconds)
        writer.field("pong", true)
        writer.raw("data", data)
        writer.object("subs") {
            for (name, sub) in subs { $0.object(name) { sub.write(to: &$0) } }
        }
    }
}

extension SubscribeResult {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginning(at: position)
        if wasRecovering { writer.field("was_recovering", true) }
        if recovered { writer.field("recovered", true) }
        if !publications.isEmpty { writer.objects("publications", publications) { $0.write(to: &$1) } }
    }
}

extension JSONWriter {
    fileprivate mutating func expiry(_ ttl: UInt64?) {
        guard let ttl else { return }
        field("expires", true)
        field("ttl", ttl)
    }

    /// Writes the start of a subscription. Every room is positioned and recoverable.
    fileprivate mutating func beginning(at position: RoomPosition) {
        field("recoverable", true)
        field("positioned", true)
        field("epoch", position.epoch)
        field("offset", position.offset)
    }
}
