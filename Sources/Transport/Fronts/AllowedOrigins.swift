import HTTPTypes

/// The pages from which a browser may open a connection. RFC 6455 §10.2, RFC 6454.
///
/// Programs send no Origin and are let in: a list protects users of browsers, not the server from programs.
package struct AllowedOrigins: Sendable, Equatable {
    /// As browsers write them: `https://chat.example.com`, `http://localhost:3000`. None: any page may.
    package private(set) var origins: [String] = []

    package init() {}

    /// - Returns: Nil when one is no origin: a scheme, a host and perhaps a port, and nothing else.
    package init?(_ origins: [String]) {
        for origin in origins {
            let parts = origin.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "http" || parts[0] == "https", !parts[1].isEmpty,
                parts[1].utf8.allSatisfy(Self.mayStandInHost)
            else { return nil }
        }
        self.origins = origins.map { $0.lowercased() }
    }

    private static func mayStandInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    package var isEmpty: Bool { origins.isEmpty }

    /// The origin of a request as the browser wrote it, if it is one of the list.
    func named(in fields: HTTPFields) -> String? {
        let named = fields[values: .origin]
        guard let origin = named.first, named.count == 1, origins.contains(origin.lowercased()) else { return nil }
        return origin
    }

    func admit(_ fields: HTTPFields) -> Bool {
        guard !origins.isEmpty else { return true }
        let named = fields[values: .origin]
        guard let origin = named.first else { return true }
        return named.count == 1 && origins.contains(origin.lowercased())
    }
}
