import EventLoops
import HTTPTypes

/// The load balancers and reverse proxies that are trusted to report client addresses. None by default, because anyone
/// can send the header.
package struct TrustedProxies: Sendable, Equatable {
    package var ranges: [IPRange] = []
    /// Whether the proxies' connections begin with a PROXY protocol header.
    package var sendHeader = false

    package init() {}

    func contains(_ address: String) -> Bool {
        guard !ranges.isEmpty, let address = IPAddress(address) else { return false }
        return contains(address)
    }

    private func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns the client's address as the proxies reported it: the last address in `X-Forwarded-For` that is not a
    /// proxy's.
    ///
    /// - Returns: Nil when there is none. Anything before an unreadable element could be forged and is ignored.
    func client(in fields: HTTPFields) -> String? {
        guard let name = HTTPField.Name("X-Forwarded-For") else { return nil }
        let hops = fields[values: name].flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            // Skip empty elements. RFC 9110 §5.6.1.2.
            let hop = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            if hop.isEmpty { continue }
            guard let address = Self.address(hop) else { return nil }
            if !contains(address) { return address.description }
        }
        return nil
    }

    /// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.first == "[" { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
        if let address = IPAddress(text) { return address }
        return IPAddress(text.prefix { $0 != ":" })
    }
}
