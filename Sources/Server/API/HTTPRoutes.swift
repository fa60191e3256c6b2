import ChatModel
import HTTPTypes
import WireProtocol

/// The purpose of an HTTP request, determined by method and path alone. Paths are compared byte by byte, without
/// decoding.
package enum HTTPRoute: Equatable, Sendable {
    case webSocket
    /// Enabled by `--echo`, for conformance suites.
    case echo
    case live
    case ready
    case metrics
    case openAPI
    case asyncAPI
    /// `POST /v1/<method>`
    case command(String)
    /// `POST /v1/files`
    case upload
    /// `GET /v1/files/{id}/{name}`; the name is for display and not checked.
    case file(FileID)
    case notFound
    /// The path is known, but not with this method; `Allow` names the right one.
    case methodNotAllowed(allowed: String)

    /// Whether the route accepts clients without credentials.
    package var isForNewcomers: Bool {
        guard case .command(let method) = self else { return false }
        return CommandTable.byMethod[method]?.callers == .newcomers
    }

    /// The scope that a server key needs; nil where no key is required.
    package var scope: KeyScope? {
        switch self {
        case .command(let method): CommandTable.scope(of: method)
        case .upload: .write
        case .file: .read
        case .webSocket, .echo, .live, .ready, .metrics, .openAPI, .asyncAPI, .notFound, .methodNotAllowed: nil
        }
    }

    package static let webSocketPath = "/connection/websocket"

    package init(_ request: HTTPRequest, servesEcho: Bool) {
        let target = request.path ?? ""
        let path = target.prefix { $0 != "?" }
        switch path {
        case Self.webSocketPath[...]: self = Self.only(.get, request, .webSocket)
        case "/echo" where servesEcho: self = Self.only(.get, request, .echo)
        case "/livez": self = Self.only(.get, request, .live)
        case "/readyz": self = Self.only(.get, request, .ready)
        case "/metrics": self = Self.only(.get, request, .metrics)
        case "/openapi.json": self = Self.only(.get, request, .openAPI)
        case "/asyncapi.json": self = Self.only(.get, request, .asyncAPI)
        case "/v1/files": self = Self.only(.post, request, .upload)
        case _ where path.hasPrefix("/v1/files/"):
            let parts = path.dropFirst(10).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let id = FileID(parts[0]) else {
                self = .notFound
                return
            }
            self = Self.only(.get, request, .file(id))
        case _ where path.hasPrefix("/v1/"):
            self = Self.only(.post, request, .command(String(path.dropFirst(4))))
        default: self = .notFound
        }
    }

    private static func only(_ method: HTTPRequest.Method, _ request: HTTPRequest, _ route: HTTPRoute) -> HTTPRoute {
        if request.method == method || request.method == .head && method == .get { return route }
        return .methodNotAllowed(allowed: method.rawValue)
    }
}

extension HTTPRoute {
    /// Returns whether Belfry reserves a path, for any method, even if it serves nothing there today.
    ///
    /// - Parameter path: Without a query.
    package static func isReserved(_ path: String, servesEcho: Bool) -> Bool {
        if path == "/v1" || isInReservedFolder(path) { return true }
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        return HTTPRoute(request, servesEcho: servesEcho) != .notFound
    }

    package static func isInReservedFolder(_ path: some StringProtocol) -> Bool {
        path.hasPrefix("/v1/") || path.hasPrefix("/connection/")
    }
}

package struct HTTPAnswer: Sendable {
    package var response: HTTPResponse
    package var body: [UInt8]

    package init(_ status: HTTPResponse.Status, _ contentType: String, body: [UInt8]) {
        response = HTTPResponse(
            status: status,
            headerFields: [.contentType: contentType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"])
        self.body = body
    }

    package static func text(_ status: HTTPResponse.Status, _ text: String) -> HTTPAnswer {
        HTTPAnswer(status, "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    package static func result(_ json: [UInt8]) -> HTTPAnswer { HTTPAnswer(.ok, "application/json", body: json) }

    /// Returns the same error code as on the WebSocket, with the matching status.
    package static func rejected(_ rejection: Rejection) -> HTTPAnswer {
        var answer = HTTPAnswer(
            HTTPResponse.Status(code: rejection.code.row.status), "application/json",
            body: ServerEnvelope.httpError(rejection))
        if rejection.code == .unauthorized || rejection.code == .tokenExpired {
            answer.response.headerFields[.wwwAuthenticate] = "Bearer"
        }
        if let wait = rejection.retryAfterMilliseconds {
            // Whole seconds, rounded up. RFC 9110 §10.2.3.
            answer.response.headerFields[.retryAfter] = String(wait / 1_000 + (wait % 1_000 == 0 ? 0 : 1))
        } else if answer.response.status == .tooManyRequests {
            // A limit is reached for an unknown time: suggest one second.
            answer.response.headerFields[.retryAfter] = "1"
        }
        return answer
    }
}

extension HTTPField.Name {
    /// Constant names; each is a token of RFC 9110 §5.6.2.
    package static let apiKey = constant("X-API-Key")
    package static let idempotencyKey = constant("Idempotency-Key")
    static let rateLimitPolicy = constant("RateLimit-Policy")
    static let rateLimit = constant("RateLimit")
    static let xContentTypeOptions = constant("X-Content-Type-Options")
    package static let referrerPolicy = constant("Referrer-Policy")
    package static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
    package static let secFetchSite = constant("Sec-Fetch-Site")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not a field name") }
        return name
    }
}

/// The credentials in an HTTP request's header fields.
package enum Credentials: Equatable, Sendable {
    case none
    /// `Authorization: Bearer`
    case token(String)
    /// `X-API-Key`
    case apiKey(String)
    /// Both kinds, one of them twice, or another scheme.
    case unusable

    package init(_ fields: HTTPFields) {
        let keys = fields[values: .apiKey]
        let authorizations = fields[values: .authorization]
        switch (keys.count, authorizations.count) {
        case (0, 0): self = .none
        case (1, 0): self = .apiKey(keys[0])
        case (0, 1):
            let parts = authorizations[0].split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "bearer" {
                self = .token(String(parts[1]))
            } else {
                self = .unusable
            }
        default: self = .unusable
        }
    }
}
