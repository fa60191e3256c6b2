import ChatModel

/// The connection's entry in the census.
extension ServerConnection {
    /// Sets the client's address as named by a trusted proxy; nil when the connection is the proxy's own.
    ///
    /// - Returns: Whether that address has room for one more connection.
    func setClientAddress(_ address: String?) -> Bool {
        guard let address, censusEntry?.move(to: address) == false else { return true }
        server.services.metrics.refuse(.address)
        return false
    }

    /// Whether a trusted proxy has yet to name the client.
    var awaitsClientAddress: Bool { censusEntry?.awaitsClientAddress ?? false }

    /// The client's address, if known.
    var address: String? { censusEntry?.address }

    /// The peer has shown a valid token or key.
    func authenticate() { censusEntry?.authenticate() }

    /// - Returns: Whether the user may have one more session.
    func enter(as user: UserID) -> Bool {
        guard censusEntry?.enter(as: user) != true else { return true }
        server.services.metrics.refuse(.user)
        return false
    }
}
