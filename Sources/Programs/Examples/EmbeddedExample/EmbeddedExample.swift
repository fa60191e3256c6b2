import Belfry
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle

/// A server with an embedded chat. It authenticates users by its own sessions, greets them and logs events.
@main
struct EmbeddedExample {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let logger = Logger(label: "example") { StreamLogHandler.standardError(label: $0) }
        let sessions = Sessions()

        var configuration = Configuration(tokenSecret: environment["BELFRY_TOKEN_SECRET"] ?? "")
        configuration.port = UInt16(environment["PORT"] ?? "") ?? 8080
        configuration.dataFolder = environment["DATA"] ?? "example-data"

        // Authenticate users by this server's own sessions instead of Belfry's tokens.
        configuration.authenticate = { credentials in
            guard let token = credentials.token, let name = await sessions.name(of: token) else { return .refused }
            return .user(name, validFor: .seconds(3_600))
        }

        // Our own HTTP routes, on the same port.
        configuration.routes.on(.post, "/login") { _, body in
            let name = String(decoding: try await body.collect(upTo: 320), as: UTF8.self)
            try await Lobby.welcome(name)
            return .text(await sessions.begin(name))
        }
        configuration.routes.on(.get, "/lobby") { _, _ in try .json(try await Lobby.latest()) }
        configuration.routes.wrap { request, body, next in
            var response = try await next(request, body)
            response.head.headerFields[.server] = "example"
            return response
        }

        let server: Server
        do {
            server = try await Server(configuration, logger: logger)
        } catch {
            logger.critical("not started", metadata: ["reason": "\(error)"])
            exit(78)
        }
        let listener = EventLog(events: try server.events(), logger: logger)
        // Services stop in reverse order, so the listener still receives events while the server drains.
        let group = ServiceGroup(
            services: [listener, server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}
