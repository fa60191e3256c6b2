import HTTPTypes

/// Your own HTTP beside Belfry's, on the same listeners.
///
///     configuration.routes.on(.get, "/hello") { request, body in .text("hello\n") }
///     configuration.routes.on(.post, .prefix("/upload/")) { request, body in
///         for try await bytes in body { try await store.append(bytes) }
///         return RouteResponse(.noContent)
///     }
///
/// Handlers run in tasks of their own, away from the loops that serve the chat. A request is cancelled, as its task is,
/// when its client goes away or the server's drain time is over. HEAD is answered by the route for GET, without the body.
public struct Routes: Sendable {
    /// Answers a request. What it throws becomes 500 and a line of the log with the error's type; a `Rejection` is
    /// answered as Belfry's own commands answer it.
    public typealias Handler = @Sendable (HTTPRequest, RequestBody) async throws -> RouteResponse

    /// Stands around every handler here: looks at the request, calls the handler or does not, changes the answer.
    ///
    /// Belfry's own paths do not pass through it: they are answered on their loop, in the order of the connection, and
    /// never wait for a task.
    public typealias Middleware =
        @Sendable (HTTPRequest, RequestBody, _ next: Handler) async throws -> RouteResponse

    /// The paths of a route, compared byte by byte: nothing is decoded, and the query does not count.
    public enum Path: Hashable, Sendable, ExpressibleByStringLiteral {
        case exact(String)
        /// All below a folder; ends with `/`. The longest prefix wins, and an exact path before it.
        case prefix(String)

        public init(stringLiteral path: String) { self = .exact(path) }
    }

    /// What requests to all routes together may cost.
    public struct Limits: Sendable, Equatable {
        /// Requests under way; beyond it they are refused with 503.
        public var requestsAtOnce = 256
        /// The largest body, in bytes, unless the route says otherwise; beyond it 413.
        public var bodyBytes = 16_777_216
        /// Bytes of one body that may wait for its handler; then the client is not read. One read, of up to 64 KiB, may
        /// come on top.
        public var bufferBytes = 65_536
        /// How long a body may take to come in all.
        public var bodyTime = Duration.seconds(900)
        public init() {}
    }

    struct Entry: Sendable {
        let method: HTTPRequest.Method
        let path: Path
        let bodyBytes: Int?
        let handler: Handler
    }

    public var limits = Limits()
    private(set) var entries: [Entry] = []
    private(set) var middleware: [Middleware] = []

    public init() {}

    /// Adds a route. What it must not be, `Server` says when it is made: a path that is Belfry's own, or there twice.
    ///
    /// - Parameters:
    ///   - method: Of the requests that it answers.
    ///   - path: Theirs, exactly or by its beginning.
    ///   - bodyBytes: The largest body of this route; `limits.bodyBytes` if left out.
    ///   - handler: Answers them.
    public mutating func on(
        _ method: HTTPRequest.Method, _ path: Path, bodyBytes: Int? = nil, _ handler: @escaping Handler
    ) {
        entries.append(Entry(method: method, path: path, bodyBytes: bodyBytes, handler: handler))
    }

    /// Puts something around every route, wherever it was added; the first stands outermost.
    public mutating func wrap(_ middleware: @escaping Middleware) { self.middleware.append(middleware) }
}
