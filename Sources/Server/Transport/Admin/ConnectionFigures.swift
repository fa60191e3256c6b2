import ChatModel
import Gateway

/// One open connection as operators see it: the user and the amount of traffic, never the content.
package struct ConnectionFigures: Sendable {
    package let id: ConnectionID
    package let entrance: Entrance.Kind
    /// False for HTTP.
    package let isWebSocket: Bool
    /// Nil before authentication, and for server keys.
    package let user: UserID?
    /// Nil until a proxy has named the client, and on the admin listener.
    package let address: String?
    /// Milliseconds since 1970.
    package let since: Int64
    /// Rooms the connection is subscribed to.
    package let subscriptions: Int
    /// Bytes waiting for the client to read them.
    package let queuedBytes: Int
}
