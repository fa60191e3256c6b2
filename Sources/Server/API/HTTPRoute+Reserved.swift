import HTTPTypes

extension HTTPRoute {
    /// Whether a path is reserved for Belfry, for any method, even if nothing is served there today.
    ///
    /// - Parameter path: Without a query.
    package static func isReserved(_ path: String, hasEcho: Bool) -> Bool {
        if path == "/v1" || isInReservedFolder(path) { return true }
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        return HTTPRoute(request, hasEcho: hasEcho) != .notFound
    }

    package static func isInReservedFolder(_ path: some StringProtocol) -> Bool {
        path.hasPrefix("/v1/") || path.hasPrefix("/connection/")
    }
}
