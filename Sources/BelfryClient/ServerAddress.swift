import FoundationEssentials

/// A server's address, parsed from its URL.
struct ServerAddress: Hashable, Sendable {
    /// The URL as configured.
    let url: String
    /// A name or an address, without the brackets of an IPv6 address.
    let host: String
    let port: UInt16
    /// Whether it uses TLS (`wss`).
    let isSecure: Bool
    /// The path with the query, percent-encoded.
    let path: String

    /// - Throws: `BelfryError` for an invalid WebSocket URL. RFC 6455 §3.
    init(url text: String) throws(BelfryError) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty else {
            throw .badURL("expected ws://host:port/connection/websocket")
        }
        switch url.scheme?.lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        default: throw .badURL("the scheme is neither ws nor wss")
        }
        guard url.fragment == nil, url.user == nil, url.password == nil else {
            throw .badURL("fragments and credentials are not allowed")
        }
        guard let port = UInt16(exactly: url.port ?? (isSecure ? 443 : 80)), port > 0 else {
            throw .badURL("the port is out of range")
        }
        self.url = text
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        self.path = url.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }

    /// The host as written in a Host field. RFC 9112 §3.2.
    var authorityHost: String { host.contains(":") ? "[\(host)]" : host }

    /// Whether both URLs lead to the same place: a URL may spell its host in any case and leave out its default port.
    func isSameAddress(as other: ServerAddress) -> Bool {
        host.lowercased() == other.host.lowercased() && port == other.port && isSecure == other.isSecure
            && path == other.path
    }
}
