/// The negotiated parameters. RFC 7692 §7.1.
package struct DeflateParameters: Hashable, Sendable {
    /// The window when none is specified. RFC 7692 §7.1.2.
    static let defaultWindowBits = 15

    /// The server compresses each message on its own.
    package var serverNoContextTakeover: Bool
    package var clientNoContextTakeover: Bool
    /// Nil when the response does not specify it.
    package var serverMaxWindowBits: Int?
    package var clientMaxWindowBits: Int?

    package init(
        serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false, serverMaxWindowBits: Int? = nil,
        clientMaxWindowBits: Int? = nil
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// The value of `Sec-WebSocket-Extensions` in the response.
    package var text: String {
        var text = DeflateOffer.extensionName
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let bits = serverMaxWindowBits { text += "; server_max_window_bits=\(bits)" }
        if let bits = clientMaxWindowBits { text += "; client_max_window_bits=\(bits)" }
        return text
    }

    /// The inflater for the peer's messages.
    func inflater(as role: Role) -> Inflater {
        switch role {
        case .server:
            Inflater(
                windowBits: clientMaxWindowBits ?? Self.defaultWindowBits, keepsContext: !clientNoContextTakeover)
        case .client:
            Inflater(
                windowBits: serverMaxWindowBits ?? Self.defaultWindowBits, keepsContext: !serverNoContextTakeover)
        }
    }

    /// The compressor for the server's messages, with the negotiated parameters, for one connection.
    ///
    /// - Returns: Nil when memory runs out.
    package func serverDeflater(level: Int = 1) -> Deflater? {
        Deflater(
            windowBits: serverMaxWindowBits ?? Self.defaultWindowBits, level: level,
            keepsContext: !serverNoContextTakeover)
    }
}

/// Which offers a server accepts, and with which parameters.
package struct DeflatePolicy: Hashable, Sendable {
    /// The windows the server can compress with. Offers of a smaller one are declined, and larger ones are answered
    /// with the largest. zlib cannot produce raw DEFLATE data with an 8-bit window.
    package var serverWindowBits: ClosedRange<Int>
    /// Whether the server's messages may refer to earlier ones.
    package var serverKeepsContext: Bool
    /// Whether the client's messages may refer to earlier ones; an idle connection then holds up to 40 KiB.
    package var clientKeepsContext: Bool

    package init(serverWindowBits: ClosedRange<Int>, serverKeepsContext: Bool, clientKeepsContext: Bool) {
        self.serverWindowBits = serverWindowBits.clamped(to: 9...15)
        self.serverKeepsContext = serverKeepsContext
        self.clientKeepsContext = clientKeepsContext
    }

    /// Everything the extension defines and zlib supports.
    package static let everything = DeflatePolicy(
        serverWindowBits: 9...15, serverKeepsContext: true, clientKeepsContext: true)

    /// For messages that are compressed once for many connections: all use the same window and no context takeover.
    package static func shared(windowBits: Int) -> DeflatePolicy {
        let bits = min(max(windowBits, 9), 15)
        return DeflatePolicy(serverWindowBits: bits...bits, serverKeepsContext: false, clientKeepsContext: false)
    }

    /// - Parameter extensions: In order of preference.
    /// - Returns: The parameters for the first acceptable offer; nil when there is none.
    package func negotiate(_ extensions: [WebSocketExtension]) -> DeflateParameters? {
        for element in extensions {
            if let offer = DeflateOffer(element), let parameters = negotiate(offer) { return parameters }
        }
        return nil
    }

    /// - Returns: Nil when the offer is declined.
    package func negotiate(_ offer: DeflateOffer) -> DeflateParameters? {
        var parameters = DeflateParameters(
            serverNoContextTakeover: offer.serverNoContextTakeover || !serverKeepsContext,
            clientNoContextTakeover: offer.clientNoContextTakeover || !clientKeepsContext)
        if let bits = offer.serverMaxWindowBits {
            guard bits >= serverWindowBits.lowerBound else { return nil }
            parameters.serverMaxWindowBits = min(bits, serverWindowBits.upperBound)
        }
        if case .limited(let bits) = offer.clientWindow { parameters.clientMaxWindowBits = bits }
        return parameters
    }
}
