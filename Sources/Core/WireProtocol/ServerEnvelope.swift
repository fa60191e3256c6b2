import ChatModel

/// A message from the server to a client: a reply to a command, a push or a ping.
package enum ServerEnvelope: Sendable {
    /// A ping from the server: an empty message.
    case ping
    case error(id: UInt32, Rejection)
    /// A command's result; `data` is JSON.
    case rpc(id: UInt32, data: [UInt8])
    case unsubscribed(id: UInt32)
    case pong(id: UInt32)
    /// The reply to `refresh`. `ttl` is the number of seconds until the token expires; `nil` if it never does.
    case refreshed(id: UInt32, client: String, version: String, ttl: UInt64?)
    case subscribed(id: UInt32, SubscribeResult)
    case connected(id: UInt32, ConnectResult)
    /// An event of a room.
    case publication(room: String, Publication)
    /// Announces that the connection was subscribed to a room.
    case gained(room: String, at: RoomPosition)
    /// Announces that the connection was unsubscribed from a room.
    case lost(room: String, UnsubscribeCode)

    /// Returns the payload of a WebSocket message in the given form.
    package func encoded(as form: WireForm) -> [UInt8] {
        switch form {
        case .json: json
        case .protobuf: protobuf
        }
    }
}

/// The reply to `connect`.
package struct ConnectResult: Sendable {
    package var client: String
    package var version: String
    package var session: String
    package var node: String
    package var ttl: UInt64?
    package var pingSeconds: UInt64
    /// Belfry's data for the client, as JSON.
    package var data: [UInt8]
    /// The subscriptions, in the order in which they are written.
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

/// The start of a subscription: its position, and the missed events recovered up to it.
package struct SubscribeResult: Sendable {
    package var position: RoomPosition
    package var wasRecovering: Bool
    package var recovered: Bool
    /// The recovered events, oldest first, up to `position.offset`.
    package var publications: [Publication]

    package init(
        position: RoomPosition, wasRecovering: Bool = false, recovered: Bool = false,
        publications: [Publication] = []
    ) {
        self.position = position
        self.wasRecovering = wasRecovering
        self.recovered = recovered
        self.publications = publications
    }
}

/// The encodings of the Centrifuge client protocol. Both have the same commands, replies and pushes.
///
/// The chat's content (`data`) is JSON in both.
package enum WireForm: Sendable, CaseIterable {
    /// JSON objects in text messages. Newlines separate several objects in a message.
    case json
    /// Length-prefixed messages from `client.proto` in binary messages.
    case protobuf
}
