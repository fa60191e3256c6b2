import EventLoops

/// The permitted destinations of deliveries: the public internet, plus networks that the operator allows.
///
/// Checked against the address of each socket, because a name may resolve differently each time.
package struct Destinations: Sendable, Equatable {
    /// Private networks that are allowed as exceptions.
    package var allowed: [IPRange] = []

    /// The addresses that are reachable in addition to those networks.
    package enum Reach: Sendable {
        case publicInternet
        case everywhere
        case nowhere
    }

    private let reach: Reach

    package init(_ reach: Reach = .publicInternet) { self.reach = reach }

    package func permits(_ address: IPAddress) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        switch reach {
        case .publicInternet: return Self.isPublic(address)
        case .everywhere: return true
        case .nowhere: return false
        }
    }

    /// Returns whether the address is globally reachable by the special-purpose address registries (RFC 6890).
    /// Addresses reachable only through an anycast relay or a tunnel are not.
    private static func isPublic(_ address: IPAddress) -> Bool {
        guard address.bytes.count == 16 else { return !special4.contains { $0.contains(address) } }
        // An IPv4-translated address (RFC 6052) leads to the embedded IPv4 address.
        if let translated, translated.contains(address), let inner = IPAddress(address.bytes.suffix(4)) {
            return isPublic(inner)
        }
        return unicast6?.contains(address) == true && !special6.contains { $0.contains(address) }
    }

    private static let special4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    ].compactMap { IPRange($0) }

    /// All global unicast addresses. RFC 4291 §2.4.
    private static let unicast6 = IPRange("2000::/3")
    private static let translated = IPRange("64:ff9b::/96")
    private static let special6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].compactMap { IPRange($0) }
}
