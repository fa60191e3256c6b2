import HTTPTypes

/// The server side of the opening handshake. RFC 6455 §4.2.
package enum ServerHandshake {
    package enum Outcome: Equatable, Sendable {
        /// The 101 response and, if compression was negotiated, its parameters.
        case accepted(HTTPResponse, deflate: DeflateParameters? = nil)
        /// A 4xx response, and the reason in plain English for the log or the body.
        case refused(HTTPResponse, reason: String)
    }

    /// Responds to an upgrade request received over HTTP/1.1.
    ///
    /// The only supported extension is permessage-deflate. Other or unacceptable extensions and unsupported
    /// subprotocols are silently declined; a browser that requested a subprotocol then gives up. The handshake fails if
    /// either field violates its grammar, as RFC 6455 §4.1 and §9.1 require. The request's `authority` must be its
    /// Host. Do not read bytes after the request until the 101 is sent.
    ///
    /// - Parameters:
    ///   - policy: The permessage-deflate offers to accept; nil declines all.
    ///   - subprotocols: The supported subprotocols; the first match in the client's order is selected.
    /// - Returns: The 101 response, or a refusal: 405 for a method other than GET, 426 without a request for WebSocket
    ///   version 13, 400 for an invalid request.
    package static func respond(
        to request: HTTPRequest, deflate policy: DeflatePolicy? = nil, subprotocols: [String] = []
    ) -> Outcome {
        let fields = request.headerFields
        guard request.method == .get else {
            return refuse(.methodNotAllowed, [.allow: "GET"], "the method is not GET")
        }
        guard HandshakeFields.tokens(.upgrade, in: fields).contains("websocket") else {
            return refuseVersion("Upgrade does not name websocket")
        }
        guard HandshakeFields.tokens(.connection, in: fields).contains("upgrade") else {
            return refuseVersion("Connection does not name upgrade")
        }
        guard let authority = request.authority, !authority.isEmpty else {
            return refuse(.badRequest, [:], "Host is missing")
        }
        guard fields[values: .secWebSocketVersion] == [HandshakeFields.version] else {
            return refuseVersion("Sec-WebSocket-Version is not 13")
        }
        let keys = fields[values: .secWebSocketKey]
        guard keys.count == 1, let key = keys.first else {
            return refuse(.badRequest, [:], "Sec-WebSocket-Key is not given exactly once")
        }
        guard HandshakeFields.isKey(key) else {
            return refuse(.badRequest, [:], "Sec-WebSocket-Key is not base64 of 16 bytes")
        }
        guard !fields.contains(.transferEncoding), fields[values: .contentLength].allSatisfy({ $0 == "0" }) else {
            return refuse(.badRequest, [:], "the request has a body")
        }
        guard let extensions = WebSocketExtension.list(fields[values: .secWebSocketExtensions]) else {
            return refuse(.badRequest, [:], "Sec-WebSocket-Extensions is not a list of extensions")
        }
        guard let offered = Subprotocols.offer(in: fields) else {
            return refuse(.badRequest, [:], "Sec-WebSocket-Protocol is not a list of different subprotocols")
        }
        var response = HTTPResponse(
            status: .switchingProtocols,
            headerFields: [
                .upgrade: "websocket",
                .connection: "Upgrade",
                .secWebSocketAccept: HandshakeFields.accept(for: key),
            ])
        response.headerFields[.secWebSocketProtocol] = offered.first(where: subprotocols.contains)
        let deflate = policy?.negotiate(extensions)
        if let deflate { response.headerFields[.secWebSocketExtensions] = deflate.text }
        return .accepted(response, deflate: deflate)
    }

    /// Returns a 426 response with the supported version. RFC 6455 §4.4, RFC 9110 §15.5.22.
    private static func refuseVersion(_ reason: String) -> Outcome {
        refuse(
            .upgradeRequired,
            [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: HandshakeFields.version], reason)
    }

    private static func refuse(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ reason: String) -> Outcome {
        .refused(HTTPResponse(status: status, headerFields: fields), reason: reason)
    }
}

/// The application protocols used over the connection. RFC 6455 §1.9.
enum Subprotocols {
    /// Returns the subprotocols the client offers, in order of preference. RFC 6455 §4.1 and §11.3.4.
    ///
    /// - Returns: Empty if nothing is offered; nil if the value is not a list of tokens or has duplicates.
    static func offer(in fields: HTTPFields) -> [String]? {
        // The grammar is the same as for extensions without parameters.
        guard let elements = WebSocketExtension.list(fields[values: .secWebSocketProtocol]),
            elements.allSatisfy(\.parameters.isEmpty)
        else { return nil }
        let names = elements.map(\.name)
        return Set(names).count == names.count ? names : nil
    }
}
