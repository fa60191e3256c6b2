import EventLoops
import HTTPCodec
import HTTPTypes

/// Rejects requests that pages of other sites send to the admin listener through a browser.
///
/// Programs and the console address the listener by a loopback name, or by the name of a proxy in front of it. A
/// DNS-rebinding page sends its own name as `Host`. A page that openly links or embeds the listener is revealed by an
/// `Origin` other than the addressed one, or by `Sec-Fetch-Site`, which browsers also send for images and links (Fetch
/// Metadata §2.3).
package struct AdminGuard: Sendable, Equatable {
    /// The names of proxies, in lower case.
    private var hosts: Set<String> = []

    /// Admits loopback names and addresses only.
    package init() {}

    /// - Parameter hosts: Additional host names, without ports; loopback names are always admitted.
    /// - Returns: Nil when an entry is not a host name.
    package init?(hosts: [String]) {
        for host in hosts {
            guard let authority = Authority(host), host.utf8.allSatisfy(Self.isNameByte), host.last != "." else {
                return nil
            }
            self.hosts.insert(authority.host)
        }
    }

    package func admits(_ request: HTTPRequest) -> Bool {
        guard let text = request.authority, let authority = Authority(text),
            Self.isLoopback(authority.host) || hosts.contains(authority.host)
        else { return false }
        // A console in a browser has the origin that it addresses; the scheme is that of the proxy, if there is one.
        let addressed = ["http", "https"].map { $0 + "://" + text.lowercased() }
        let origins = request.headerFields[values: .origin]
        guard origins.count <= 1, origins.allSatisfy({ addressed.contains($0.lowercased()) }) else { return false }
        // `none` means that a person typed the address.
        return request.headerFields[values: .secFetchSite].allSatisfy { $0 == "none" || $0 == "same-origin" }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// - Parameter host: IPv6 addresses keep their brackets.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        let bare = host.first == "[" ? host.dropFirst().dropLast() : host[...]
        return IPAddress(bare)?.isLoopback ?? false
    }
}
