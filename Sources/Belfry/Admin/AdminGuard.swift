import EventLoops
import HTTPCodec
import HTTPTypes

/// Rejects requests that web pages send to the admin listener through a browser.
///
/// Local programs address the listener by a loopback name and send no `Origin`. A DNS-rebinding page sends its own name
/// as `Host`. A page that openly links or embeds the listener is revealed by `Origin` or by `Sec-Fetch-Site`, which
/// browsers also send for images and links (Fetch Metadata §2.3).
enum AdminGuard {
    static func admits(_ request: HTTPRequest) -> Bool {
        guard let authority = request.authority.flatMap({ Authority($0) }), isLoopback(authority.host) else {
            return false
        }
        guard request.headerFields[.origin] == nil else { return false }
        guard let name = HTTPField.Name("Sec-Fetch-Site") else { return false }
        // `none` means that a person typed the address.
        return request.headerFields[values: name].allSatisfy { $0 == "none" }
    }

    /// - Parameter host: IPv6 addresses keep their brackets.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        let bare = host.first == "[" ? host.dropFirst().dropLast() : host[...]
        return IPAddress(bare)?.isLoopback ?? false
    }
}
