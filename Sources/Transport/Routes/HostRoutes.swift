import HTTPTypes

/// The routes of the program that embeds the server, as a connection asks for them: on its loop, so nothing here may wait.
package protocol HostRoutes: Sendable {
    /// - Parameter request: For a path that is none of Belfry's own.
    func claim(_ request: HTTPRequest) -> RouteClaim
}

package enum RouteClaim: Sendable {
    /// No route has the path.
    case unknown
    /// The path is known, the method is not; the value of `Allow`. RFC 9110 §15.5.6.
    case methodNotAllowed(allowed: String)
    /// - `bodyBytes`: The largest body that is taken.
    /// - `start`: Runs the handler in a task of its own; false when as many requests are under way as may be.
    case taken(bodyBytes: Int, start: @Sendable (HTTPRequest, RouteExchange) -> Bool)
}

/// What the routes of a host may cost a connection.
package struct RouteLimits: Sendable, Equatable {
    /// Of a request's body that wait to be read by its handler; then the peer is not read. A read more may come on top.
    package var bufferBytes = 65_536
    /// A request's body, from its head to its last byte, however steadily it comes.
    package var bodyMilliseconds: Int64 = 900_000
    package init() {}
}
