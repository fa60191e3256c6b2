import FoundationEssentials

/// How a client stands with its server.
public enum ConnectionState: Hashable, Sendable {
    /// Until the next `connect()`.
    case disconnected(DisconnectReason)
    /// On the way, or waiting for the next attempt; `nil` when nothing was lost before.
    case connecting(after: DisconnectReason?)
    case connected(ConnectedInfo)
}

/// Why there is no connection.
public enum DisconnectReason: Hashable, Sendable {
    /// Nobody has called `connect()` yet, or `disconnect()` was called.
    case client
    /// The token provider threw `SignedOut`.
    case signedOut
    /// The server closed with a code of its table: 3500–3999 and 4500–4999 are final.
    case closed(code: Int, reason: String)
    /// The server refused to take us in: its error for `connect`.
    case refused(BelfryError)
    /// The token provider threw.
    case noToken(String)
    /// The network, or a peer that does not speak the protocol.
    case lost(String)
    /// The server has not pinged within its interval and `maxServerPingDelay`.
    case noPing
    /// Events are missing in a room; they are recovered with the next connection.
    case gap(room: String)
}

/// What the server told at connect.
public struct ConnectedInfo: Hashable, Sendable {
    /// Names this connection at the server.
    public let client: String
    /// Who we are; `nil` when the server did not say.
    public let user: User?
    /// Names of the rooms the server has subscribed us to, sorted.
    public let rooms: [String]
    /// JSON of `data` in the connect reply.
    public let data: [UInt8]

    init(client: String, rooms: [String], data: [UInt8]) {
        self.client = client
        self.rooms = rooms
        self.data = data
        user = try? JSONDecoder().decode(UserOnly.self, from: Data(data)).user
    }

    private struct UserOnly: Decodable {
        let user: User
    }
}
