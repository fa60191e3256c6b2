import EventLoops

/// Where deliveries may go: to the public internet, and to what the operator allows besides.
///
/// Asked with the address that a socket is opened to: a name may stand for another one each time it is looked up.
package struct Destinations: Sendable, Equatable {
    /// Networks that are allowed although they are private.
    package var allowed: [IPRange] = []

    /// Besides those networks.
    package enum Reach: Sendable {
        case publicInternet
        case everywhere
        case nowhere
    }

    private let reach: Reach

    package init(_ reach: Reach = .publicInternet) { self.reach = reach }

    package func permit(_ address: IPAddress) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        switch reach {
        case .publicInternet: return Self.isPublic(address)
        case .everywhere: return true
        case .nowhere: return false
        }
    }

    /// Whether the address is globally reachable by the special-purpose address registries of RFC 6890; what is
    /// reachable only by an anycast relay or a tunnel is not.
    private static func isPublic(_ address: IPAddress) -> Bool {
        guard address.bytes.count == 16 else { return !special4.contains { $0.contains(address) } }
        // What a translator of RFC 6052 makes of an IPv4 address goes where that one goes.
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

    /// All that is assigned to hosts of the internet. RFC 4291 §2.4.
    private static let unicast6 = IPRange("2000::/3")
    private static let translated = IPRange("64:ff9b::/96")
    private static let special6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].compactMap { IPRange($0) }
}
