/// What both ends have agreed on. RFC 7692 §7.1.
package struct DeflateParameters: Hashable, Sendable {
    /// What counts where no window is named. RFC 7692 §7.1.2.
    static let defaultWindowBits = 15

    /// Each message of the server is compressed by itself.
    package var serverNoContextTakeover: Bool
    package var clientNoContextTakeover: Bool
    /// Nil where the response does not name it.
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

    /// What a receiver needs for the messages of its peer.
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

    /// What compresses the server's messages as agreed, within one connection.
    ///
    /// - Returns: Nil when there is no memory for it.
    package func serverDeflater(level: Int = 1) -> Deflater? {
        Deflater(
            windowBits: serverMaxWindowBits ?? Self.defaultWindowBits, level: level,
            keepsContext: !serverNoContextTakeover)
    }
}

/// Which offers a server accepts, and how it answers them.
package struct DeflatePolicy: Hashable, Sendable {
    /// The windows that the server can compress with: an offer below is declined, and one above answered with the
    /// largest. zlib makes no bare DEFLATE data with a window of 8 bits.
    package var serverWindowBits: ClosedRange<Int>
    /// Whether the server's messages may build on each other.
    package var serverKeepsContext: Bool
    /// Whether the client's may; then an idle connection holds on to up to 40 KiB.
    package var clientKeepsContext: Bool

    package init(serverWindowBits: ClosedRange<Int>, serverKeepsContext: Bool, clientKeepsContext: Bool) {
        self.serverWindowBits = serverWindowBits.clamped(to: 9...15)
        self.serverKeepsContext = serverKeepsContext
        self.clientKeepsContext = clientKeepsContext
    }

    /// All that the extension has and zlib can do.
    package static let everything = DeflatePolicy(
        serverWindowBits: 9...15, serverKeepsContext: true, clientKeepsContext: true)

    /// For messages that are compressed once for many connections: all of them have the same window and no context.
    package static func shared(windowBits: Int) -> DeflatePolicy {
        let bits = min(max(windowBits, 9), 15)
        return DeflatePolicy(serverWindowBits: bits...bits, serverKeepsContext: false, clientKeepsContext: false)
    }

    /// - Parameter extensions: In order of preference.
    /// - Returns: The answer to the first offer that can be met; nil when there is none.
    package func answer(_ extensions: [WebSocketExtension]) -> DeflateParameters? {
        for element in extensions {
            if let offer = DeflateOffer(element), let parameters = answer(offer) { return parameters }
        }
        return nil
    }

    /// - Returns: Nil when the offer is declined.
    package func answer(_ offer: DeflateOffer) -> DeflateParameters? {
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
