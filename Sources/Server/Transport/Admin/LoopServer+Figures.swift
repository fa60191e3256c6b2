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

/// What operators may ask of a loop, from any queue. Each query scans everything the loop holds once: a few
/// milliseconds for a hundred thousand connections.
extension LoopServer {
    /// The connections after a serial, in order of arrival; at most `limit`.
    package func connections(after serial: UInt64, limit: Int) async -> [ConnectionFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.figures(after: serial, limit: limit)) }
        }
    }

    /// The rooms after the given one, in order; at most `limit`.
    package func rooms(after room: Room?, limit: Int) async -> [RoomFigures] {
        await withCheckedContinuation { answer in
            loop.post { answer.resume(returning: self.hub.figures(after: room, limit: limit)) }
        }
    }
}
