/// The addresses of the nodes that a client may connect to.
struct AddressList: Hashable, Sendable {
    /// The maximum number of addresses.
    static let limit = 64

    let addresses: [ServerAddress]

    /// Parses URLs, keeping their order.
    ///
    /// - Throws: `BelfryError` for an unusable URL, the same address twice, too many addresses or none, or `ws` next to
    ///   `wss`: whoever blocks the encrypted addresses would otherwise get the token in clear.
    init(urls: [String]) throws(BelfryError) {
        guard (1...Self.limit).contains(urls.count) else {
            throw .badURL("expected 1 to \(Self.limit) addresses, not \(urls.count)")
        }
        var addresses: [ServerAddress] = []
        for url in urls {
            let address = try ServerAddress(url: url)
            guard !addresses.contains(where: { $0.isSameAddress(as: address) }) else {
                throw .badURL("\(url) is listed twice")
            }
            addresses.append(address)
        }
        guard addresses.allSatisfy({ $0.isSecure == addresses[0].isSecure }) else {
            throw .badURL("ws and wss addresses cannot be mixed")
        }
        self.addresses = addresses
    }

    /// Whether the addresses use TLS (`wss`).
    var isSecure: Bool { addresses[0].isSecure }
}
