/// The negotiated parameters of permessage-deflate. RFC 7692 §7.1.
package struct DeflateParameters: Hashable, Sendable {
    /// The window size if none is specified. RFC 7692 §7.1.2.
    static let defaultWindowBits = 15

    /// Whether the server compresses each message independently.
    package var serverNoContextTakeover: Bool
    package var clientNoContextTakeover: Bool
    /// The limit of the server's window in bits; nil if the response does not specify one.
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

    /// Returns an inflater for the peer's messages.
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

    /// Returns a deflater for the messages the server sends on one connection.
    ///
    /// - Returns: Nil if memory runs out.
    package func serverDeflater(level: Int = 1) -> Deflater? {
        Deflater(
            windowBits: serverMaxWindowBits ?? Self.defaultWindowBits, level: level,
            keepsContext: !serverNoContextTakeover)
    }
}

/// A server's policy for permessage-deflate offers.
package struct DeflatePolicy: Hashable, Sendable {
    /// The window sizes the server can use, in bits. An offer below the range is declined; one above it is accepted
    /// with the upper bound. The minimum is 9, because zlib cannot produce raw DEFLATE data with an 8-bit window.
    package var serverWindowBits: ClosedRange<Int>
    /// Whether the server's messages may refer to earlier ones.
    package var serverKeepsContext: Bool
    /// Whether the client's messages may refer to earlier ones. An idle connection then holds up to 40 KiB.
    package var clientKeepsContext: Bool

    package init(serverWindowBits: ClosedRange<Int>, serverKeepsContext: Bool, clientKeepsContext: Bool) {
        self.serverWindowBits = serverWindowBits.clamped(to: 9...15)
        self.serverKeepsContext = serverKeepsContext
        self.clientKeepsContext = clientKeepsContext
    }

    /// A policy that accepts everything the extension defines and zlib supports.
    package static let everything = DeflatePolicy(
        serverWindowBits: 9...15, serverKeepsContext: true, clientKeepsContext: true)

    /// Returns a policy for messages that are compressed once for many connections. All use the same window without
    /// context takeover.
    package static func shared(windowBits: Int) -> DeflatePolicy {
        let bits = min(max(windowBits, 9), 15)
        return DeflatePolicy(serverWindowBits: bits...bits, serverKeepsContext: false, clientKeepsContext: false)
    }

    /// - Parameter extensions: The offered extensions, in order of preference.
    /// - Returns: The parameters for the first acceptable offer; nil if there is none.
    package func negotiate(_ extensions: [WebSocketExtension]) -> DeflateParameters? {
        for element in extensions {
            if let offer = DeflateOffer(element), let parameters = negotiate(offer) { return parameters }
        }
        return nil
    }

    /// - Returns: The parameters; nil if the offer is declined.
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
