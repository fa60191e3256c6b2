import API
import HTTPTypes

/// Lets pages from the origins in `server.allowed_origins` call commands, load files and fetch the client library.
/// Fetch Standard, “CORS protocol”.
///
/// `Access-Control-Allow-Credentials` is never sent, because nothing here uses cookies. `X-API-Key` is not among the
/// allowed fields, because a server key has no place in a browser.
extension HTTPHandler {
    private static let methods = "GET, HEAD, POST"
    private static let fields = "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Range"
    private static let exposed = "Content-Disposition, ETag, RateLimit, RateLimit-Policy, Retry-After"
    /// Two hours, the longest that browsers honour.
    private static let maxAge = "7200"

    /// Whether pages from other origins may request this path.
    private func isShared(_ path: Substring) -> Bool {
        guard connection.entrance != .admin else { return false }
        return path.hasPrefix("/v1/") || path == "/openapi.json" || path == "/asyncapi.json"
            || services.content.page?[path] != nil
    }

    /// Lets the requesting page read the response if its origin is allowed. No page of another origin may embed a
    /// response of the admin listener.
    func addCrossOrigin(to fields: inout HTTPFields) {
        if connection.entrance == .admin { fields[.crossOriginResourcePolicy] = "same-origin" }
        let origins = server.limits.origins
        guard !origins.isEmpty, let request = head?.request, let path = request.path,
            isShared(path.prefix { $0 != "?" })
        else { return }
        // Even without an Origin, so that a cache does not serve this response to a request that has one.
        fields[.vary] = fields[.vary].map { $0 + ", Origin" } ?? "Origin"
        guard let origin = origins.allowedOrigin(in: request.headerFields) else { return }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = Self.exposed
    }

    /// Answers a CORS preflight request.
    ///
    /// - Returns: False when the request is not a preflight or its origin is not allowed.
    func answerPreflight() -> Bool {
        guard let request = head?.request, request.method == .options, let path = request.path,
            isShared(path.prefix { $0 != "?" }), request.headerFields[.accessControlRequestMethod] != nil,
            server.limits.origins.allowedOrigin(in: request.headerFields) != nil
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
