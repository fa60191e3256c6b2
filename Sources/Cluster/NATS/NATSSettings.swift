#if Cluster
import FoundationEssentials

/// Where the NATS servers are, and how to sign in to them.
package struct NATSSettings: Sendable {
    /// Files in PEM format. Without `authorities`, the system's are trusted.
    package struct TLS: Sendable {
        package var authorities: String?
        package var certificate: String?
        package var key: String?

        package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    let servers: [NATSServerAddress]
    /// The client's name in the servers' reports.
    let name: String
    let credentials: String?
    let tls: TLS?

    /// - Parameters:
    ///   - servers: URLs such as `nats://user:password@host:4222`. Connections to `tls:` URLs are encrypted; with
    ///     TLS settings, all are.
    ///   - credentials: The path of a `.creds` file, or of a file with the line `user:password`. Read for each
    ///     connection.
    /// - Throws: `NATSError.invalidServer`.
    package init(
        servers: [String], name: String, credentials: String? = nil, tls: TLS? = nil
    ) throws(NATSError) {
        guard !servers.isEmpty else { throw .invalidServer("") }
        var addresses: [NATSServerAddress] = []
        for server in servers { addresses.append(try NATSServerAddress(server, tls: tls != nil)) }
        self.servers = addresses
        self.name = name
        self.credentials = credentials
        self.tls = tls
    }
}

struct NATSServerAddress: Sendable {
    /// May contain a password.
    let url: String
    let host: String
    let isEncrypted: Bool
    /// The host and port, for messages.
    let endpoint: String

    init(_ text: String, tls: Bool) throws(NATSError) {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
            let scheme = url.scheme, ["nats", "tls"].contains(scheme)
        else { throw .invalidServer(String(text.split(separator: "@").last ?? "")) }
        self.url = text
        self.host = host
        isEncrypted = tls || scheme == "tls"
        endpoint = "\(host):\(url.port ?? 4222)"
    }
}
#endif
