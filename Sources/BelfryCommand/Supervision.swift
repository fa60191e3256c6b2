import Belfry
import Logging
import ServiceLifecycle
import UnixSignals

/// Tells the service manager when clients are served and when the end begins. The last of the group's services, for the
/// last of them ends first.
struct StateReports: Service {
    let manager: ServiceManager

    func run() async throws {
        manager.ready()
        try? await gracefulShutdown()
        manager.stopping()
    }
}

/// Tells the service manager twice in its time that the server works: a server that hangs falls silent, and is started
/// anew. Until the server has stopped, so it stands before it in the group.
struct Watchdog: Service {
    let manager: ServiceManager
    let interval: Duration
    let server: Server

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await server.hasTakenATurn()
                manager.working()
                try? await Task.sleep(for: interval / 2)
            }
        }
    }
}

/// Reads the settings file, the certificate, the server keys and the file of tokens' keys again at each SIGHUP. What is
/// wrong with them the server logs.
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
                // A body with an error of its own type.
                let read = { () async throws(ConfigurationError) in try await settings.configuration() }
                try? await server.reloadSettings(read)
            }
            if server.tlsAddress != nil { try? server.reloadCertificate() }
            if server.hasKeysFile { try? server.reloadKeys() }
            if server.hasTokenKeysFile { try? await server.reloadTokenKeys() }
            if settings == nil, server.tlsAddress == nil, !server.hasKeysFile, !server.hasTokenKeysFile {
                logger.notice("there are no settings, no certificate and no file of keys to read again")
            }
            manager?.ready()
        }
    }
}
