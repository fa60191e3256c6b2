import HTTPTypes

/// The routes of the embedding program. Connections look them up on their loop, so implementations must not block.
package protocol HostRoutes: Sendable {
    /// - Parameter request: A request whose path is not one of Belfry's own.
    func match(_ request: HTTPRequest) -> RouteMatch
}

package enum RouteMatch: Sendable {
    /// No route has the path.
    case unknown
    /// A route has the path but not the method. `allowed` is the value of `Allow`. RFC 9110 §15.5.6.
    case methodNotAllowed(allowed: String)
    /// - `bodyBytes`: The size of the largest accepted body.
    /// - `start`: Runs the handler in a new task; returns false when too many requests are in progress.
    case matched(bodyBytes: Int, start: @Sendable (HTTPRequest, RouteExchange) -> Bool)
}

/// Limits for a connection's requests to host routes.
package struct RouteLimits: Sendable, Equatable {
    /// Body bytes that may wait for the handler before the server stops reading from the peer. One more read may exceed
    /// this.
    package var bufferBytes = 65_536
    /// Time limit for a request's body, from the head to the last byte, however steadily it arrives.
    package var bodyMilliseconds: Int64 = 900_000
    package init() {}
}
