import Belfry
import Logging
import ServiceLifecycle
import UnixSignals

/// Tells the service manager when the server is ready and when it begins to stop. It is the group's last service
/// because the group shuts its services down in reverse order.
struct StateReports: Service {
    let manager: ServiceManager

    func run() async throws {
        manager.ready()
        try? await gracefulShutdown()
        manager.stopping()
    }
}

/// Tells the service manager twice per watchdog interval that the server works. If the server hangs, the reports stop
/// and the service manager restarts it. This service precedes the server in the group, so it runs until the server has
/// stopped.
struct Watchdog: Service {
    let manager: ServiceManager
    let interval: Duration
    let server: Server

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await server.waitForTurns()
                manager.working()
                try? await Task.sleep(for: interval / 2)
            }
        }
    }
}

/// Reloads the settings file, the certificate, the server keys and the token keys on each SIGHUP. The server
/// logs any errors.
struct Reload: Service {
    let server: Server
    /// Nil without a settings file.
    let settings: SettingsSource?
    let hangups: UnixSignalsSequence
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        for await _ in hangups.cancelOnGracefulShutdown() {
            manager?.reloading()
            if let settings {
                // A separate closure, so that its error is typed.
                let read = { () async throws(ConfigurationError) in try await settings.configuration() }
                try? await server.reloadSettings(read)
            }
            if server.tlsAddress != nil { try? server.reloadCertificate() }
            if server.hasKeysFile { try? server.reloadKeys() }
            if server.hasTokenKeysFile { try? server.reloadTokenKeys() }
            if settings == nil, server.tlsAddress == nil, !server.hasKeysFile, !server.hasTokenKeysFile {
                logger.notice("nothing to reload: no settings file, certificate or key file is configured")
            }
            manager?.ready()
        }
    }
}
