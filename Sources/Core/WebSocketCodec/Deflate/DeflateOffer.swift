/// A client's offer of permessage-deflate. RFC 7692 §7.1.
package struct DeflateOffer: Hashable, Sendable {
    /// The value of `client_max_window_bits`, which lets the server limit the client's window. RFC 7692 §7.1.2.2.
    package enum ClientWindow: Hashable, Sendable {
        case unlimited
        /// The server may set a limit.
        case limitable
        /// At most this many bits, 8–15; the server may set a lower limit.
        case limited(bits: Int)
    }

    package static let extensionName = "permessage-deflate"
    static let windowBits = 8...15

    /// Whether the client asks the server to compress each message independently. RFC 7692 §7.1.1.1.
    package var serverNoContextTakeover = false
    /// Whether the client announces that it compresses each message independently. RFC 7692 §7.1.1.2.
    package var clientNoContextTakeover = false
    /// The largest window the server may use, 8–15 bits; nil for no limit. RFC 7692 §7.1.2.1.
    package var serverMaxWindowBits: Int?
    package var clientWindow = ClientWindow.unlimited

    package init() {}

    /// Parses one element of a `Sec-WebSocket-Extensions` list.
    ///
    /// - Returns: Nil for other extensions, and for offers that a server must decline because a parameter is unknown,
    ///   repeated or has an invalid value. RFC 7692 §7.1.
    package init?(_ element: WebSocketExtension) {
        guard element.name == Self.extensionName else { return nil }
        var names: Set<String> = []
        for parameter in element.parameters {
            guard names.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("client_max_window_bits", nil): clientWindow = .limitable
            case ("client_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { return nil }
                clientWindow = .limited(bits: bits)
            case ("server_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { return nil }
                serverMaxWindowBits = bits
            default: return nil
            }
        }
    }

    /// Parses a decimal number from 8 to 15 without leading zeros. RFC 7692 §7.1.2.
    private static func bits(_ value: String) -> Int? {
        windowBits.first { String($0) == value }
    }
}
