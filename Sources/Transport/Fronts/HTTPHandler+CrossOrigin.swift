import API
import HTTPTypes

/// Pages of other origins call the commands, load files and the client library: those of `server.allowed_origins` may.
/// Fetch Standard, “CORS protocol”.
///
/// There is no `Access-Control-Allow-Credentials`: nothing here goes by cookies. `X-API-Key` is not among the fields that a
/// page may send, for a server key has no place in a browser.
extension HTTPHandler {
    private static let methods = "GET, HEAD, POST"
    private static let fields = "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Range"
    private static let exposed = "Content-Disposition, ETag, RateLimit, RateLimit-Policy, Retry-After"
    /// Two hours; browsers keep it no longer.
    private static let maxAge = "7200"

    /// Whether anything of another origin may be asked for there.
    private func isShared(_ path: Substring) -> Bool {
        guard connection.entrance != .admin else { return false }
        return path.hasPrefix("/v1/") || path == "/openapi.json" || path == "/asyncapi.json"
            || server.services.page?[path] != nil
    }

    /// Lets the page that asks read the answer, if its origin is allowed to.
    func addCrossOrigin(to fields: inout HTTPFields) {
        let origins = server.limits.origins
        guard !origins.isEmpty, let request = head?.request, let path = request.path,
            isShared(path.prefix { $0 != "?" })
        else { return }
        // Also without an origin, lest a cache give the answer to a page of one.
        fields[.vary] = fields[.vary].map { $0 + ", Origin" } ?? "Origin"
        guard let origin = origins.named(in: request.headerFields) else { return }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = Self.exposed
    }

    /// What a browser asks before a request that a form could not make.
    ///
    /// - Returns: False for what is no such question, or not of an allowed origin.
    func answerPreflight() -> Bool {
        guard let request = head?.request, request.method == .options, let path = request.path,
            isShared(path.prefix { $0 != "?" }), request.headerFields[.accessControlRequestMethod] != nil,
            server.limits.origins.named(in: request.headerFields) != nil
        else { return false }
        var answer = HTTPAnswer(.noContent, "", body: [])
        answer.response.headerFields[.contentType] = nil
        answer.response.headerFields[.accessControlAllowMethods] = Self.methods
        answer.response.headerFields[.accessControlAllowHeaders] = Self.fields
        answer.response.headerFields[.accessControlMaxAge] = Self.maxAge
        respond(answer)
        return true
    }
}
