import API
import ChatModel
import CoreMetrics
import HTTPTypes
import Logging

/// The routes of the admin listener: GET endpoints about the server itself. Commands are served as on the main listener.
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
        routes.wrap { try await sealed($0, $1, $2) }
        add("/metrics", .open, to: &routes) { server, _ in
            var answer = RouteResponse.text(server.services.content.metricsText())
            answer.head.headerFields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return answer
        }
        add("/connections", .key(.read), ["after", "limit"], to: &routes, connections)
        add("/rooms", .key(.read), ["after", "limit"], to: &routes, rooms)
        add("/queues", .key(.read), to: &routes) { server, _ in .json(bytes: server.queuesJSON()) }
        add("/cluster", .key(.read), to: &routes) { server, _ in
            guard let cluster = server.cluster else {
                return .text("this server is not a node of a cluster\n", status: .notFound)
            }
            return .json(bytes: cluster.statusJSON)
        }
        add("/keys", .key(.admin), to: &routes) { server, _ in .json(bytes: server.keysJSON()) }
        add("/settings", .key(.admin), to: &routes) { server, _ in .json(bytes: try await server.settingsJSON()) }
        routes.on(.get, "/events") { request, _ in
            let (server, key) = try authorized(request, .key(.read))
            return try events(server, key, try AdminQuery(request.path, names: ["channel", "type"]))
        }
        routes.on(.get, "/session") { request, _ in
            let (server, key) = try authorized(request, .key(nil))
            _ = try AdminQuery(request.path, names: [])
            return .json(bytes: server.sessionJSON(of: key))
        }
        return routes
    }

    private static func add(
        _ path: String, _ access: AdminAccess, _ names: Set<String> = [], to routes: inout Routes,
        _ answer: @escaping @Sendable (Server, AdminQuery) async throws -> RouteResponse
    ) {
        routes.on(.get, .exact(path)) { request, _ in
            let (server, _) = try authorized(request, access)
            return try await answer(server, try AdminQuery(request.path, names: names))
        }
    }

    private static func authorized(
        _ request: HTTPRequest, _ access: AdminAccess
    ) throws -> (server: Server, key: NamedKey?) {
        guard let server = Server.current else { throw RouteError.connectionLost }
        return (server, try access.check(request, in: server.keys.ring, now: WallClock.milliseconds()))
    }

    /// Adds the header fields that keep a response out of caches and out of other sites' pages.
    private static func sealed(
        _ request: HTTPRequest, _ body: RequestBody, _ next: Routes.Handler
    ) async throws -> RouteResponse {
        var answer: RouteResponse
        do {
            answer = try await next(request, body)
        } catch let error as BadAdminQuery {
            answer = .text(error.description + "\n", status: .badRequest)
        } catch let rejection as Rejection {
            let refusal = HTTPAnswer.rejected(rejection)
            answer = RouteResponse(
                refusal.response.status, headerFields: refusal.response.headerFields, body: refusal.body)
        }
        answer.head.headerFields[.cacheControl] = "no-store"
        answer.head.headerFields[.crossOriginResourcePolicy] = "same-origin"
        answer.head.headerFields[.xContentTypeOptions] = "nosniff"
        return answer
    }
}

extension RouteResponse {
    /// Makes a response from a body that is already JSON.
    static func json(bytes: [UInt8]) -> RouteResponse {
        RouteResponse(.ok, headerFields: [.contentType: "application/json"], body: bytes + [UInt8(ascii: "\n")])
    }
}
