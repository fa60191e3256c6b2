import ChatModel
import HTTPTypes

/// Your own HTTP routes, on Belfry's listeners.
///
///     configuration.routes.on(.get, "/hello") { request, body in .text("hello\n") }
///     configuration.routes.on(.post, .prefix("/upload/")) { request, body in
///         for try await bytes in body { try await store.append(bytes) }
///         return RouteResponse(.noContent)
///     }
///
/// Handlers run in their own tasks, off the loops that serve the chat. The server cancels a request's task when the
/// client disconnects or the server's drain time ends. A GET route also answers HEAD, without the body.
public struct Routes: Sendable {
    /// Handles a request. A thrown error becomes a 500 response and a log line with the error's type; a thrown
    /// `Rejection` becomes the same response as for Belfry's own commands.
    public typealias Handler = @Sendable (HTTPRequest, RequestBody) async throws -> RouteResponse

    /// Wraps every handler added here. It can inspect the request, decide whether to call the handler, and change the
    /// response.
    ///
    /// It does not see Belfry's own paths, which are answered on their loop, in the connection's order, and never wait
    /// for a task.
    public typealias Middleware =
        @Sendable (HTTPRequest, RequestBody, _ next: Handler) async throws -> RouteResponse

    /// The path of a route, compared byte by byte. Nothing is decoded, and the query is ignored.
    public enum Path: Hashable, Sendable, ExpressibleByStringLiteral {
        /// This path only.
        case exact(String)
        /// Everything below a folder; ends with `/`. Exact paths take precedence over prefixes, and longer prefixes
        /// over shorter ones.
        case prefix(String)

        /// Creates an exact path.
        public init(stringLiteral path: String) { self = .exact(path) }
    }

    /// Limits that apply to the requests to all routes together.
    public struct Limits: Sendable, Equatable {
        /// The maximum number of concurrent requests; the server refuses more with 503.
        public var maxConcurrentRequests = 256
        /// The maximum body size in bytes, unless the route sets its own; beyond this, 413.
        public var bodyBytes = 16_777_216
        /// Body bytes that may wait for the handler before the server stops reading from the client. One more read may
        /// add up to 64 KiB.
        public var bufferBytes = 65_536
        /// The time limit for receiving the whole body.
        public var bodyTime = Duration.seconds(900)
        /// Creates the default limits.
        public init() {}
    }

    struct Entry: Sendable {
        let method: HTTPRequest.Method
        let path: Path
        let bodyBytes: Int?
        let handler: Handler
    }

    /// Limits that apply to the requests to all routes together.
    public var limits = Limits()
    private(set) var entries: [Entry] = []
    private(set) var middleware: [Middleware] = []

    /// Creates a table without routes.
    public init() {}

    /// Adds a route. `Server.init` rejects reserved and repeated paths.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The exact path or a prefix.
    ///   - bodyBytes: The maximum body size of this route; defaults to `limits.bodyBytes`.
    ///   - handler: Handles the requests.
    public mutating func on(
        _ method: HTTPRequest.Method, _ path: Path, bodyBytes: Int? = nil, _ handler: @escaping Handler
    ) {
        entries.append(Entry(method: method, path: path, bodyBytes: bodyBytes, handler: handler))
    }

    /// Wraps every route, including those added later. The first wrapper is outermost.
    public mutating func wrap(_ middleware: @escaping Middleware) { self.middleware.append(middleware) }
}
