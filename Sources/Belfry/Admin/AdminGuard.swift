import EventLoops
import HTTPCodec
import HTTPTypes

/// Keeps browsers away from the admin listener that a page from elsewhere sends there.
///
/// Programs of this machine ask by its own name and tell of no page. A page whose name was made to lead here (DNS
/// rebinding) has that name for a Host; one that sends its browser here openly is told of as the Origin, or by
/// `Sec-Fetch-Site`, which also stands where an image or a link leads here (Fetch Metadata §2.3).
enum AdminGuard {
    static func admits(_ request: HTTPRequest) -> Bool {
        guard let authority = request.authority.flatMap({ Authority($0) }), isLoopback(authority.host) else {
            return false
        }
        guard request.headerFields[.origin] == nil else { return false }
        guard let name = HTTPField.Name("Sec-Fetch-Site") else { return false }
        // Typed in by somebody.
        return request.headerFields[values: name].allSatisfy { $0 == "none" }
    }

    /// - Parameter host: An IPv6 address with its brackets.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        let bare = host.first == "[" ? host.dropFirst().dropLast() : host[...]
        return IPAddress(bare)?.isLoopback ?? false
    }
}
