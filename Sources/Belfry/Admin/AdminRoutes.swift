import CoreMetrics
import HTTPTypes
import Logging

/// The routes of the admin listener: six GET endpoints, no commands.
enum AdminRoutes {
    /// - Returns: Nil when no admin listener is configured.
    /// - Throws: When its address is not allowed.
    static func table(
        of admin: Configuration.Admin, metrics factory: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) -> RouteTable? {
        // Registered even without a listener, because a missing metric looks like a mistake.
        let metrics = RouteMetrics.admin(factory)
        guard try admin.address() != nil else { return nil }
        return try RouteTable(routes(admin), ownPaths: { _ in false }, metrics: { metrics }, logger: logger)
    }

    private static func routes(_ admin: Configuration.Admin) -> Routes {
        var routes = Routes()
        // 16 for short queries, the rest for tails.
        routes.limits.maxConcurrentRequests = 16 + admin.tails
        routes.limits.bodyBytes = 0
        routes.wrap { try await guarded($0, $1, $2) }
        add("/metrics", [], to: &routes) { server, _ in
            var answer = RouteResponse.text(server.services.content.metricsText())
            answer.head.headerFields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return answer
        }
        add("/connections", ["after", "limit"], to: &routes, connections)
        add("/rooms", ["after", "limit"], to: &routes, rooms)
        add("/queues", [], to: &routes) { server, _ in .json(bytes: server.queuesJSON()) }
        add("/cluster", [], to: &routes) { server, _ in
            guard let cluster = server.cluster else {
                return .text("this server is not a node of a cluster\n", status: .notFound)
            }
            return .json(bytes: cluster.statusJSON)
        }
        add("/events", ["channel", "type"], to: &routes, events)
        return routes
    }

    private static func add(
        _ path: String, _ names: Set<String>, to routes: inout Routes,
        _ answer: @escaping @Sendable (Server, AdminQuery) async throws -> RouteResponse
    ) {
        routes.on(.get, .exact(path)) { request, _ in
            guard let server = Server.current else { throw RouteError.connectionLost }
            return try await answer(server, try AdminQuery(request.path, names: names))
        }
    }

    private static func guarded(
        _ request: HTTPRequest, _ body: RequestBody, _ next: Routes.Handler
    ) async throws -> RouteResponse {
        var answer: RouteResponse
        do {
            answer = try await next(request, body)
        } catch let error as BadAdminQuery {
            answer = .text(error.description + "\n", status: .badRequest)
        }
        answer.head.headerFields[.cacheControl] = "no-store"
        for (name, value) in [
            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { answer.head.headerFields[name] = value }
        }
        return answer
    }
}

extension RouteResponse {
    /// Makes a response from a body that is already JSON.
    static func json(bytes: [UInt8]) -> RouteResponse {
        RouteResponse(.ok, headerFields: [.contentType: "application/json"], body: bytes + [UInt8(ascii: "\n")])
    }
}
