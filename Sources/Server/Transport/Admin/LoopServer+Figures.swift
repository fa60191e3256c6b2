import ChatModel
import Gateway

/// An open connection as operators see it: its user and traffic, never the content.
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

/// Queries for operators, callable from any queue. Each query scans all of the loop's connections or rooms once, which
/// takes a few milliseconds for a hundred thousand connections.
extension LoopServer {
    /// Returns up to `limit` connections after a serial, in order of arrival.
    package func connections(after serial: UInt64, limit: Int) async -> [ConnectionFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.figures(after: serial, limit: limit)) }
        }
    }

    /// Returns up to `limit` rooms after the given one, in order.
    package func rooms(after room: Room?, limit: Int) async -> [RoomFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.hub.figures(after: room, limit: limit)) }
        }
    }
}
