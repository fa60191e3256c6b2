import ChatModel

/// A message from the server to a client: a reply to one of its commands, a push or a ping.
package enum ServerEnvelope: Sendable {
    /// The server's ping: an empty message.
    case ping
    case error(id: UInt32, Rejection)
    /// `data` is the result's JSON.
    case rpc(id: UInt32, data: [UInt8])
    case unsubscribed(id: UInt32)
    case pong(id: UInt32)
    /// `ttl` is the number of seconds until the token expires; `nil` when it never does.
    case refreshed(id: UInt32, client: String, version: String, ttl: UInt64?)
    case subscribed(id: UInt32, SubscribeResult)
    case connected(id: UInt32, ConnectResult)
    /// An event of a room.
    case publication(room: String, Publication)
    /// An open connection gains a room.
    case gained(room: String, at: RoomPosition)
    /// An open connection loses a room.
    case lost(room: String, UnsubscribeCode)

    /// Encodes the envelope as a whole WebSocket message of the form.
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

/// The start of a subscription: its position, and the events missed before it.
package struct SubscribeResult: Sendable {
    package var position: RoomPosition
    package var wasRecovering: Bool
    package var recovered: Bool
    /// Oldest first, ending at `position.offset`.
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

/// The two forms of the Centrifuge client protocol, with the same commands, replies and pushes in different encodings.
///
/// Chat content (`data`) is JSON in both.
package enum WireForm: Sendable, CaseIterable {
    /// Objects in text messages, several per message separated by newlines.
    case json
    /// Length-prefixed messages of `client.proto` in binary messages.
    case protobuf
}
