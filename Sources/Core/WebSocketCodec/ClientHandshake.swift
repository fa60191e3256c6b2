import HTTPTypes

/// The reason a client's opening handshake failed. RFC 6455 §4.1.
package enum HandshakeFailure: Error, Equatable, Sendable {
    /// The host or path is not valid in a request.
    case invalidTarget
    /// The nonce is not 16 bytes.
    case invalidNonce(bytes: Int)
    /// The server responded with a status other than 101.
    case refused(status: Int)
    /// The 101 response lacks `Upgrade: websocket` or `Connection: Upgrade`.
    case notUpgraded
    /// `Sec-WebSocket-Accept` is missing, repeated or does not match the key sent.
    case wrongAccept
    /// The server selected an extension that the client did not offer.
    case unofferedExtension(String)
    /// The server selected a subprotocol that the client did not offer.
    case unofferedSubprotocol(String)
}

/// The client side of the opening handshake: creates the request and verifies the response. RFC 6455 §4.1.
package struct ClientHandshake: Sendable {
    /// The upgrade request; `authority` becomes the Host field.
    package let request: HTTPRequest
    private let key: String

    /// - Parameters:
    ///   - host: A host name or an address; IPv6 addresses in brackets.
    ///   - port: The port; nil for the scheme's default, which is omitted from Host.
    ///   - path: The percent-encoded path, starting with `/`, optionally with a query.
    ///   - nonce: 16 random bytes, fresh for every connection.
    ///   - headerFields: Additional fields such as Origin, Cookie, or the offered extensions and subprotocols.
    /// - Throws: `invalidTarget` or `invalidNonce`.
    package init(
        host: String, port: UInt16? = nil, path: String, nonce: [UInt8], headerFields: HTTPFields = [:]
    ) throws(HandshakeFailure) {
        guard nonce.count == 16 else { throw .invalidNonce(bytes: nonce.count) }
        let isVisible = { (byte: UInt8) in byte > 0x20 && byte < 0x7F }
        guard !host.isEmpty, host.utf8.allSatisfy(isVisible), path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy(isVisible)
        else { throw .invalidTarget }

        key = HandshakeFields.key(from: nonce)
        var fields = headerFields
        fields[.upgrade] = "websocket"
        fields[.connection] = "Upgrade"
        fields[.secWebSocketVersion] = HandshakeFields.version
        fields[.secWebSocketKey] = key
        request = HTTPRequest(
            method: .get, scheme: nil, authority: port.map { "\(host):\($0)" } ?? host, path: path,
            headerFields: fields)
    }

    /// The encoded request head, including its empty line. RFC 9112 §2.1.
    package var bytes: [UInt8] {
        var bytes = Array("GET \(request.path ?? "/") HTTP/1.1\r\nHost: \(request.authority ?? "")\r\n".utf8)
        for field in request.headerFields {
            bytes.append(contentsOf: field.name.rawName.utf8)
            bytes.append(contentsOf: ": ".utf8)
            field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: "\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }

    /// Verifies the server's response.
    ///
    /// - Throws: The first error found; the connection must then be closed.
    package func verify(_ response: HTTPResponse) throws(HandshakeFailure) {
        guard response.status == .switchingProtocols else { throw .refused(status: response.status.code) }
        let fields = response.headerFields
        guard HandshakeFields.tokens(.upgrade, in: fields) == ["websocket"],
            HandshakeFields.tokens(.connection, in: fields).contains("upgrade")
        else { throw .notUpgraded }
        guard fields[values: .secWebSocketAccept] == [HandshakeFields.accept(for: key)] else { throw .wrongAccept }

        let extensions = HandshakeFields.tokens(.secWebSocketExtensions, in: request.headerFields)
        for name in HandshakeFields.tokens(.secWebSocketExtensions, in: fields) where !extensions.contains(name) {
            throw .unofferedExtension(name)
        }
        let offered = request.headerFields[values: .secWebSocketProtocol].joined(separator: ",")
        let subprotocols = offered.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        let chosen = fields[values: .secWebSocketProtocol]
        for name in chosen where chosen.count > 1 || !subprotocols.contains(name) {
            throw .unofferedSubprotocol(name)
        }
    }
}
