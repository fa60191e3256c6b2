import ChatModel

/// The connection's entry in the census.
extension ServerConnection {
    /// Sets the client's address as a trusted proxy named it; nil when the proxy opened the connection for itself.
    ///
    /// - Returns: Whether that address has room for one more connection.
    func setClientAddress(_ address: String?) -> Bool {
        guard let address, censusEntry?.move(to: address) == false else { return true }
        server.services.metrics.refuse(.address)
        return false
    }

    /// Whether a trusted proxy has not named the client yet.
    var awaitsClientAddress: Bool { censusEntry?.awaitsClientAddress ?? false }

    /// The client's address, if known.
    var address: String? { censusEntry?.address }

    /// Records that the peer has presented a valid token or key.
    func authenticate() { censusEntry?.authenticate() }

    /// - Returns: Whether the user may have one more session.
    func enter(as user: UserID) -> Bool {
        guard censusEntry?.enter(as: user) != true else { return true }
        server.services.metrics.refuse(.user)
        return false
    }
}
