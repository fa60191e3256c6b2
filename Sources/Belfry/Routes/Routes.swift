import ChatModel
import HTTPTypes

/// Your own HTTP routes, on Belfry's listeners.
///     configuration.routes.on(.get, "/hello") { request, body in .text("hello\n") }
///     configuration.routes.on(.post, .prefix("/upload/")) { request, body in
///         for try await bytes in body { try await store.append(bytes) }
///         return RouteResponse(.noContent)
///     }
///
/// Handlers run in their own tasks, off the loops that serve the chat. A request's task is cancelled when the
/// client disconnects or the server's drain time ends. The GET route also answers HEAD, without the body.
public struct Routes: Sendable {
    /// Handles a request. A thrown error becomes a 500 and a log line with the error's type; a thrown
    /// `Rejection` becomes the same response as for Belfry's own commands.
    public typealias Handler = @Sendable (HTTPRequest, RequestBody) async throws -> RouteResponse

    /// Wraps every handler added here: it can inspect the request, call the handler or not, and change the
    /// response.
    ///
    /// It does not see Belfry's own paths: those are answered on their loop, in the connection's order, and
    /// never wait for a task.
    public typealias Middleware =
        @Sendable (HTTPRequest, RequestBody, _ next: Handler) async throws -> RouteResponse

    /// The path of a route, compared byte by byte: nothing is decoded, and the query is ignored.
    public enum Path: Hashable, Sendable, ExpressibleByStringLiteral {
        /// This path only.
        case exact(String)
        /// Everything below a folder; ends with `/`. Exact paths win over prefixes, longer prefixes over
        /// shorter ones.
        case prefix(String)

        /// An exact path.
        public init(stringLiteral path: String) { self = .exact(path) }
    }

    /// Limits of requests to all routes together.
    public struct Limits: Sendable, Equatable {
        /// Concurrent requests; beyond this they are refused with 503.
        public var requestsAtOnce = 256
        /// The maximum body size in bytes, unless the route sets its own; beyond this, 413.
        public var bodyBytes = 16_777_216
        /// Body bytes that may wait for the handler before the server stops reading from the client. One more
        /// read of up to 64 KiB may be added.
        public var bufferBytes = 65_536
        /// How long the whole body may take to arrive.
        public var bodyTime = Duration.seconds(900)
        /// The defaults.
        public init() {}
    }

    struct Entry: Sendable {
        let method: HTTPRequest.Method
        let path: Path
        let bodyBytes: Int?
        let handler: Handler
    }

    /// Limits of requests to all routes together.
    public var limits = Limits()
    private(set) var entries: [Entry] = []
    private(set) var middleware: [Middleware] = []

    /// No routes.
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

    /// Wraps every route, including those added later; the first wrapper is outermost.
    public mutating func wrap(_ middleware: @escaping Middleware) { self.middleware.append(middleware) }
}
