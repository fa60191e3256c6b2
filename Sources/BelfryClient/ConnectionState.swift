import FoundationEssentials

/// The state of a client's connection.
public enum ConnectionState: Hashable, Sendable {
    /// Not connected until the next `connect()`.
    case disconnected(DisconnectReason)
    /// Connecting, or waiting for the next attempt; `nil` on the first connection.
    case connecting(after: DisconnectReason?)
    /// Connected, with the contents of the connect reply.
    case connected(ConnectedInfo)
}

/// The reason there is no connection.
public enum DisconnectReason: Hashable, Sendable {
    /// `connect()` has not been called yet, or `disconnect()` was called.
    case client
    /// The token provider threw `SignedOut`.
    case signedOut
    /// The server closed the connection with a protocol code. The codes 3500–3999 and 4500–4999 are final.
    case closed(code: Int, reason: String)
    /// The server refused `connect` with this error.
    case refused(BelfryError)
    /// The token provider threw an error.
    case noToken(String)
    /// The network failed, or the peer does not speak the protocol.
    case lost(String)
    /// The server did not ping within its interval plus `maxServerPingDelay`.
    case noPing
    /// A room has missing events, which the next connection recovers.
    case gap(room: String)
}

/// The contents of the connect reply.
public struct ConnectedInfo: Hashable, Sendable {
    /// The URL that the client is connected to, one of `Configuration.urls`.
    public let url: String
    /// The server's id for this connection.
    public let client: String
    /// The authenticated user; `nil` if the server did not send it.
    public let user: User?
    /// The names of the rooms the server has subscribed the connection to, sorted.
    public let rooms: [String]
    /// The JSON of `data` in the connect reply.
    public let data: [UInt8]

    init(url: String, client: String, rooms: [String], data: [UInt8]) {
        self.url = url
        self.client = client
        self.rooms = rooms
        self.data = data
        user = try? JSONDecoder().decode(UserOnly.self, from: Data(data)).user
    }

    private struct UserOnly: Decodable {
        let user: User
    }
}
