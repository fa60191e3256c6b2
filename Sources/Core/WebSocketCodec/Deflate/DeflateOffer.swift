/// A client's offer of permessage-deflate. RFC 7692 §7.1.
package struct DeflateOffer: Hashable, Sendable {
    /// `client_max_window_bits`, which permits the server to limit the client's window. RFC 7692 §7.1.2.2.
    package enum ClientWindow: Hashable, Sendable {
        case unlimited
        /// The server may set a limit.
        case limitable
        /// At most this many bits, 8–15; the server may set a lower limit.
        case limited(bits: Int)
    }

    package static let extensionName = "permessage-deflate"
    static let windowBits = 8...15

    /// Asks the server to compress each message on its own. RFC 7692 §7.1.1.1.
    package var serverNoContextTakeover = false
    /// Announces that the client compresses each message on its own. RFC 7692 §7.1.1.2.
    package var clientNoContextTakeover = false
    /// The largest window the server may use, 8–15 bits; nil for any. RFC 7692 §7.1.2.1.
    package var serverMaxWindowBits: Int?
    package var clientWindow = ClientWindow.unlimited

    package init() {}

    /// Parses one element of the list of offers.
    ///
    /// - Returns: Nil for another extension, and for an offer that a server must decline: an unknown or repeated
    ///   parameter, or one with an invalid value. RFC 7692 §7.1.
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

    /// A decimal number from 8 to 15 without leading zeros. RFC 7692 §7.1.2.
    private static func bits(_ value: String) -> Int? {
        windowBits.first { String($0) == value }
    }
}
