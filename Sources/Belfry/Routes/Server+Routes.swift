import API
import Logging
import Metrics
import Page
import Transport

extension Server {
    /// - Returns: Nil when there are no routes.
    static func routes(
        _ configuration: Configuration, page: PageFiles?, metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) -> RouteTable? {
        try RouteTable(
            configuration.routes,
            ownPaths: { path in
                HTTPRoute.isReserved(path, hasEcho: configuration.hasEcho) || page?[path[...]] != nil
            }, metrics: { .host(metrics) }, logger: logger)
    }
}

extension RouteLimits {
    init(_ limits: Routes.Limits) {
        self.init()
        bufferBytes = limits.bufferBytes
        bodyMilliseconds = limits.bodyTime.clampedMilliseconds
    }
}
