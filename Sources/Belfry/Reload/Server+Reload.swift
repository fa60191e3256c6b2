import EventLoops
import Logging
import Transport

extension Server {
    /// For a loop to take over settings; it does when it comes to it.
    private static let patienceMilliseconds = 5_000

    /// Reads the settings again, judges them as a start would, and goes by those that a running server can take over.
    ///
    /// Sessions keep the rates with which they began; limits of how many may connect are for newcomers.
    ///
    /// - Parameter read: Gives the configuration that a start would have now.
    /// - Throws: What a start would throw. Then nothing has changed.
    package func reloadSettings(
        _ read: () async throws(ConfigurationError) -> Configuration
    ) async throws(ConfigurationError) {
        let fresh: Configuration
        do throws(ConfigurationError) {
            fresh = try await read()
            try await fresh.check()
        } catch {
            settings.failed()
            logger.error("settings not reloaded", metadata: ["error": "\(error)"])
            throw error
        }
        let change = settings.adopt(fresh)
        let adopted = settings.configuration
        let limits = adopted.connectionLimits(loops: loops.count)
        services.adopt(limits)
        for (loop, server) in zip(loops, servers) {
            guard await !isDone(within: Self.patienceMilliseconds, { server.adopt(limits, $0) }) else { continue }
            logger.warning("a loop has not taken over the settings yet", metadata: ["loop": "\(loop.index)"])
        }
        _ = adopted.leveled(logger)
        settings.succeeded()
        logger.notice("settings reloaded", metadata: ["changed": "\(change.taken.joined(separator: ", "))"])
        guard !change.needingRestart.isEmpty else { return }
        logger.warning(
            "settings have changed that need a restart",
            metadata: ["settings": "\(change.needingRestart.joined(separator: ", "))"])
    }
}

extension Configuration {
    /// The logger with the level of the settings, if they have one. A handler that shares its level with others changes it
    /// for all of them.
    func leveled(_ logger: Logger) -> Logger {
        var logger = logger
        if let logLevel { logger.logLevel = logLevel }
        return logger
    }

    /// What one connection may cost, as far as the process allows it.
    func connectionLimits(loops: Int) -> ConnectionLimits {
        var connection = limits.connection
        let descriptors = max(1, Sockets.fileLimit() - limits.reservedDescriptors)
        connection.routes = RouteLimits(routes.limits)
        connection.connectionsPerLoop = min(connection.connectionsPerLoop, max(1, descriptors / max(1, loops)))
        return connection
    }
}
