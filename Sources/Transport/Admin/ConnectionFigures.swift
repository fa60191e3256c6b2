import ChatModel
import Gateway

/// One open connection as those who run the server see it: who and how much, and nothing of what is said.
package struct ConnectionFigures: Sendable {
    package let id: ConnectionID
    package let entrance: Entrance.Kind
    /// False: HTTP.
    package let isWebSocket: Bool
    /// Nil before somebody is known, and for the server's own keys.
    package let user: UserID?
    /// Nil before a proxy has told it, and on the admin listener.
    package let address: String?
    /// Milliseconds since 1970.
    package let since: Int64
    /// Rooms that it hears.
    package let subscriptions: Int
    /// What waits because the client has not taken it.
    package let queuedBytes: Int
}
