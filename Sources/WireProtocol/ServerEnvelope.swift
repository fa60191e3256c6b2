/// What the server writes, as the Centrifuge client protocol frames it in JSON. Each function gives one object.
package enum ServerEnvelope {
    /// The server's ping: an empty object.
    package static let ping: [UInt8] = [UInt8(ascii: "{"), UInt8(ascii: "}")]

    package static func error(id: UInt32, _ rejection: Rejection) -> [UInt8] {
        reply(id) { write(rejection, to: &$0) }
    }

    /// The body of an HTTP answer that is a refusal: `{"error":{…}}`.
    package static func httpError(_ rejection: Rejection) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { write(rejection, to: &$0) }
        return writer.bytes
    }

    private static func write(_ rejection: Rejection, to writer: inout JSONWriter) {
        writer.object("error") {
            $0.field("code", UInt64(rejection.code.rawValue))
            $0.field("message", rejection.message)
            if rejection.code.isTemporary { $0.field("temporary", true) }
            if let wait = rejection.retryAfterMilliseconds { $0.field("retry_after_ms", UInt64(clamping: wait)) }
        }
    }

    /// - Parameter data: JSON of the result.
    package static func rpc(id: UInt32, data: [UInt8]) -> [UInt8] {
        reply(id, capacity: data.count + 40) { $0.object("rpc") { $0.raw("data", data) } }
    }

    package static func unsubscribed(id: UInt32) -> [UInt8] { reply(id) { $0.object("unsubscribe") { _ in } } }

    package static func pong(id: UInt32) -> [UInt8] { reply(id) { $0.object("ping") { _ in } } }

    /// - Parameter ttl: Seconds until the token expires; `nil` when it never does.
    package static func refreshed(id: UInt32, client: String, version: String, ttl: UInt64?) -> [UInt8] {
        reply(id) {
            $0.object("refresh") {
                $0.field("client", client)
                $0.field("version", version)
                expiry(ttl, &$0)
            }
        }
    }

    package static func subscribed(id: UInt32, _ result: SubscribeResult) -> [UInt8] {
        reply(id) { writer in writer.object("subscribe") { result.write(to: &$0) } }
    }

    package static func connected(id: UInt32, _ result: ConnectResult) -> [UInt8] {
        reply(id) {
            $0.object("connect") {
                $0.field("client", result.client)
                $0.field("version", result.version)
                $0.field("session", result.session)
                $0.field("node", result.node)
                expiry(result.ttl, &$0)
                $0.field("ping", result.pingSeconds)
                $0.field("pong", true)
                $0.raw("data", result.data)
                $0.object("subs") {
                    for (name, sub) in result.subs { $0.object(name) { sub.write(to: &$0) } }
                }
            }
        }
    }

    /// The object inside `push.pub`: one publication with its offset.
    ///
    /// - Parameters:
    ///   - offset: `nil` for what is not kept.
    ///   - data: JSON of the event.
    package static func publication(offset: UInt64?, data: [UInt8]) -> [UInt8] {
        var writer = JSONWriter(capacity: data.count + 40)
        writer.object {
            if let offset { $0.field("offset", offset) }
            $0.raw("data", data)
        }
        return writer.bytes
    }

    package static func push(room: String, publication: [UInt8]) -> [UInt8] {
        push(room, capacity: publication.count + 64) { $0.raw("pub", publication) }
    }

    /// A living connection gains a room.
    package static func push(room: String, subscribedAt position: StreamPosition) -> [UInt8] {
        push(room, capacity: 192) {
            $0.object("subscribe") {
                $0.field("recoverable", true)
                $0.field("positioned", true)
                $0.field("epoch", position.epoch)
                $0.field("offset", position.offset)
            }
        }
    }

    /// A living connection loses a room.
    package static func push(room: String, unsubscribed code: UnsubscribeCode) -> [UInt8] {
        push(room, capacity: 128) {
            $0.object("unsubscribe") {
                $0.field("code", UInt64(code.rawValue))
                $0.field("reason", code.reason)
            }
        }
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

    private static func expiry(_ ttl: UInt64?, _ writer: inout JSONWriter) {
        guard let ttl else { return }
        writer.field("expires", true)
        writer.field("ttl", ttl)
    }
}

/// The answer to `connect`.
package struct ConnectResult {
    package var client: String
    package var version: String
    package var session: String
    package var node: String
    package var ttl: UInt64?
    package var pingSeconds: UInt64
    /// JSON.
    package var data: [UInt8]
    /// In the order they are written.
    package var subs: [(name: String, result: SubscribeResult)]

    package init(
        client: String, version: String, session: String, node: String, ttl: UInt64?, pingSeconds: UInt64,
        data: [UInt8], subs: [(name: String, result: SubscribeResult)]
    ) {
        self.client = client
        self.version = version
        self.session = session
        self.node = node
        self.ttl = ttl
        self.pingSeconds = pingSeconds
        self.data = data
        self.subs = subs
    }
}

/// Where a subscription begins: a position, and what was missed up to it.
package struct SubscribeResult: Sendable {
    package var position: StreamPosition
    package var wasRecovering: Bool
    package var recovered: Bool
    /// Publications as `ServerEnvelope.publication` made them, oldest first, ending at `position.offset`.
    package var publications: [[UInt8]]

    package init(
        position: StreamPosition, wasRecovering: Bool = false, recovered: Bool = false, publications: [[UInt8]] = []
    ) {
        self.position = position
        self.wasRecovering = wasRecovering
        self.recovered = recovered
        self.publications = publications
    }

    func write(to writer: inout JSONWriter) {
        writer.field("recoverable", true)
        writer.field("positioned", true)
        writer.field("epoch", position.epoch)
        writer.field("offset", position.offset)
        if wasRecovering { writer.field("was_recovering", true) }
        if recovered { writer.field("recovered", true) }
        if !publications.isEmpty { writer.array("publications", publications) }
    }
}
