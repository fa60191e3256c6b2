import API
import Logging
import Metrics
import Page
import Transport

/// The routes of the embedding program and of the admin listener; each is nil if there are none.
struct RouteTables {
    let host: RouteTable?
    let admin: RouteTable?

    /// - Throws: When a route or the admin listener's address is not allowed.
    init(
        _ configuration: Configuration, page: PageFiles?, metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) {
        host = try RouteTable(
            configuration.routes,
            ownPaths: { path in
                HTTPRoute.isReserved(path, servesEcho: configuration.servesEcho) || page?[path[...]] != nil
            }, metrics: { .host(metrics) }, logger: logger)
        admin = try AdminRoutes.table(of: configuration.admin, metrics: metrics, logger)
    }

    /// Gives the handlers their server. Until then, `Server.current` is nil.
    func attach(to server: Server) {
        host?.runner.attach(to: server)
        admin?.runner.attach(to: server)
    }
}

extension RouteLimits {
    init(_ limits: Routes.Limits) {
        self.init()
        bufferBytes = limits.bufferBytes
        bodyMilliseconds = limits.bodyTime.clampedMilliseconds
    }
}
