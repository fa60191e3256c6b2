import EventLoops
import Logging
import Transport

extension Server {
    /// How long to wait for a loop to apply settings. A slower loop still applies them later.
    private static let timeoutMilliseconds = 5_000

    /// Reads the settings again, validates them as at startup, and applies those that can change at runtime.
    ///
    /// Existing sessions keep their rate limits; connection limits apply to new connections.
    ///
    /// - Parameter read: Returns the configuration that a start would use now.
    /// - Throws: The error that a start would throw; in that case nothing has changed.
    package func reloadSettings(
        _ read: () async throws(ConfigurationError) -> Configuration
    ) async throws(ConfigurationError) {
        let fresh: Configuration
        do throws(ConfigurationError) {
            fresh = try await read()
            try fresh.check()
        } catch {
            settings.recordFailure()
            logger.error("cannot reload settings", metadata: ["error": "\(error)"])
            throw error
        }
        let change = settings.adopt(fresh)
        let adopted = settings.configuration
        let limits = adopted.connectionLimits(loops: loops.count)
        services.limits.adopt(limits)
        for (loop, server) in zip(loops, servers) {
            let isApplied = await waitForCallback(within: Self.timeoutMilliseconds) { server.adopt(limits, $0) }
            guard !isApplied else { continue }
            logger.warning("a loop has not applied the reloaded settings yet", metadata: ["loop": "\(loop.index)"])
        }
        _ = adopted.leveled(logger)
        settings.recordSuccess()
        logger.notice("settings reloaded", metadata: ["changed": "\(change.applied.joined(separator: ", "))"])
        guard !change.needingRestart.isEmpty else { return }
        logger.warning(
            "some changed settings need a restart",
            metadata: ["settings": "\(change.needingRestart.joined(separator: ", "))"])
    }
}

extension Configuration {
    /// Returns the logger with the configured level, if there is one. If the handler shares its level, the level
    /// changes for all its loggers.
    func leveled(_ logger: Logger) -> Logger {
        var logger = logger
        if let logLevel { logger.logLevel = logLevel }
        return logger
    }

    /// Returns the limits of one connection, capped by the process's descriptor limit.
    func connectionLimits(loops: Int) -> ConnectionLimits {
        var connection = limits.connection
        let descriptors = max(1, Sockets.raiseFileLimit() - limits.reservedDescriptors)
        connection.routes = RouteLimits(routes.limits)
        connection.connectionsPerLoop = min(connection.connectionsPerLoop, max(1, descriptors / max(1, loops)))
        return connection
    }
}
