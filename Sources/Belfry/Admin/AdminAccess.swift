import API
import ChatModel
import HTTPTypes

/// The credentials that a route of the admin listener requires.
enum AdminAccess: Sendable {
    /// None: metrics, which monitoring collects.
    case open
    /// A server key, with this scope if there is one.
    case key(KeyScope?)

    /// Finds the server key of a request.
    ///
    /// - Returns: Nil when none is required.
    /// - Throws: 101 without a valid key, 1019 without the scope.
    func check(_ request: HTTPRequest, in keys: KeyRing, now: Int64) throws(Rejection) -> NamedKey? {
        guard case .key(let scope) = self else { return nil }
        guard case .apiKey(let text) = Credentials(request.headerFields) else {
            throw Rejection(.unauthorized, "X-API-Key is required")
        }
        let key = try keys.key(text, now: now)
        try key.scopes.check(scope)
        return key
    }
}
