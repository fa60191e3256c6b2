import HTTPTypes

/// The origins of the pages that may open connections from a browser. RFC 6455 §10.2, RFC 6454.
///
/// Requests without an Origin header are admitted, because only browsers send it. The list protects browser users; it
/// does not protect the server from other programs.
package struct AllowedOrigins: Sendable, Equatable {
    /// Origins as browsers write them: `https://chat.example.com`, `http://localhost:3000`. If empty, any origin is
    /// allowed.
    package private(set) var origins: [String] = []

    package init() {}

    /// - Returns: Nil when an entry is not exactly a scheme, a host and an optional port.
    package init?(_ origins: [String]) {
        for origin in origins {
            let parts = origin.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "http" || parts[0] == "https", !parts[1].isEmpty,
                parts[1].utf8.allSatisfy(Self.isHostByte)
            else { return nil }
        }
        self.origins = origins.map { $0.lowercased() }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    package var isEmpty: Bool { origins.isEmpty }

    /// Returns the request's origin as the browser wrote it, if the list contains it.
    func allowedOrigin(in fields: HTTPFields) -> String? {
        let named = fields[values: .origin]
        guard let origin = named.first, named.count == 1, origins.contains(origin.lowercased()) else { return nil }
        return origin
    }

    func allows(_ fields: HTTPFields) -> Bool {
        guard !origins.isEmpty else { return true }
        let named = fields[values: .origin]
        guard let origin = named.first else { return true }
        return named.count == 1 && origins.contains(origin.lowercased())
    }
}
