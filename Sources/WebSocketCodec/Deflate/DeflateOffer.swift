/// What a client would accept of permessage-deflate. RFC 7692 §7.1.
package struct DeflateOffer: Hashable, Sendable {
    /// `client_max_window_bits`, by which the client says that the server may limit its window. RFC 7692 §7.1.2.2.
    package enum ClientWindow: Hashable, Sendable {
        case unlimited
        /// The server may name a size.
        case limitable
        /// So many bits at most, 8–15, and the server may name fewer.
        case limited(bits: Int)
    }

    package static let extensionName = "permessage-deflate"
    static let windowBits = 8...15

    /// The server is to forget each message once it has sent it. RFC 7692 §7.1.1.1.
    package var serverNoContextTakeover = false
    /// The client will do so with its own. RFC 7692 §7.1.1.2.
    package var clientNoContextTakeover = false
    /// The largest window that the server may use, 8–15 bits; nil for any. RFC 7692 §7.1.2.1.
    package var serverMaxWindowBits: Int?
    package var clientWindow = ClientWindow.unlimited

    package init() {}

    /// Reads one element of the list of offers.
    ///
    /// - Returns: Nil for another extension and for what a server has to decline: an unknown parameter, one with a value
    ///   that it cannot have, and one given twice. RFC 7692 §7.1.
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
