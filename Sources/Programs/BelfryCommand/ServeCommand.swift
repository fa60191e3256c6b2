import ArgumentParser
import Belfry
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the gateway.",
        discussion: """
            BELFRY_TOKEN_SECRET (at least 32 bytes) is the key that signs users' tokens; it is optional if the \
            settings name public keys. BELFRY_API_KEY (at least 16 bytes) authenticates the app's backend. \
            BELFRY_TOKEN_SECRET_FILE and BELFRY_API_KEY_FILE name files to read them from. Under systemd, the server \
            uses sockets named plain and tls and credentials named token_secret and api_key, and reports readiness and \
            liveness (sd_notify). The first line on standard output is a JSON object with the addresses that the \
            server listens on; logs go to standard error. Acknowledged writes are journaled in the data folder. Exit \
            status: 78 if the configuration is invalid, 65 if the data folder is damaged, 74 if the disk fails, 75 if \
            the node must leave its cluster and may be started again, 77 if the data folder belongs to another user. \
            SIGTERM shuts down gracefully; SIGHUP reloads the settings file, \
            the certificate and its key, the server keys file and the token keys file.
            """)

    @OptionGroup
    var options: ServeOptions

    @Option(name: .customLong("log-format"), help: "text, or json for one object per line.")
    var logFormat = LogFormat.text

    func run() async throws {
        let logger = logFormat.logger(options.defaultLogLevel)
        let secrets: Secrets
        let server: Server
        let hasPage: Bool
        let tokens: Configuration.Tokens
        let settings: SettingsSource?
        // Trap SIGHUP before the server is reachable. A development server without TLS instead ends with its terminal.
        let isInteractive = options.development && options.tlsCertificate == nil
        let hangups = isInteractive ? nil : await UnixSignalsSequence(trapping: .sighup)
        let manager: ServiceManager?
        do throws(ConfigurationError) {
            let environment = try SecretFiles.resolved(ProcessInfo.processInfo.environment)
            manager = try ServiceManager(environment: environment, pid: getpid())
            let sockets = try ListeningSockets(environment: environment, pid: getpid())
            // These variables are for this process only, not for its children.
            for name in ListeningSockets.variables + ServiceManager.variables + SecretFiles.variables { unsetenv(name) }
            var configuration = try await options.configuration(environment: environment, sockets: sockets)
            tokens = configuration.tokens
            secrets = try Secrets(
                environment: environment, developmentFolder: options.development ? options.data : nil,
                needsSecret: !tokens.hasPublicKeys)
            configuration.tokenSecret = secrets.tokenSecret
            configuration.apiKey = secrets.apiKey
            hasPage = configuration.page.isEnabled
            settings = options.config.map { _ in
                SettingsSource(options, environment: environment, sockets: sockets, secrets: secrets)
            }
            server = try await Server(configuration, logger: logger)
        } catch {
            throw logFormat.failure(error, logger)
        }
        let announcement = Announcement(
            address: server.address, tlsAddress: server.tlsAddress, adminAddress: server.adminAddress,
            help: options.development ? secrets : nil,
            tokens: tokens, hasPage: hasPage)
        var services: [any Service] = [SecondSignal(logger: logger), announcement, server]
        if let hangups {
            services.insert(
                Reload(server: server, settings: settings, hangups: hangups, manager: manager, logger: logger), at: 0)
        }
        if let manager {
            services.append(StateReports(manager: manager))
            if let time = manager.watchdog {
                services.insert(Watchdog(manager: manager, interval: time, server: server), at: 0)
            }
        }
        let group = ServiceGroup(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        do {
            try await group.run()
        } catch let failure as StorageFailure {
            throw logFormat.failure(failure)
        } catch let failure as ClusterFailure {
            throw logFormat.failure(failure)
        }
    }
}

/// Prints the addresses the server listens on. It is a service because the group traps signals before it runs its
/// services: a program that reads the line can immediately send SIGTERM and still get a graceful shutdown.
private struct Announcement: Service {
    let address: Server.Address
    let tlsAddress: Server.Address?
    let adminAddress: Server.Address?
    /// Help shown in development mode; nil otherwise.
    let help: Secrets?
    let tokens: Configuration.Tokens
    let hasPage: Bool

    private func json(_ address: Server.Address) -> String { #"{"host":"\#(address.host)","port":\#(address.port)}"# }

    func run() async throws {
        let tls = tlsAddress.map { #","tls":\#(json($0))"# } ?? ""
        let admin = adminAddress.map { #","admin":\#(json($0))"# } ?? ""
        let line = """
            {"listening":\(json(address))\(tls)\(admin),"pid":\(getpid())}

            """
        try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        if let help { try DevelopmentHelp.show(address, help, tokens, hasPage: hasPage) }
        try? await gracefulShutdown()
    }
}

/// Exits immediately on a second termination signal. It is the group's first service because the group shuts its
/// services down in reverse order.
private struct SecondSignal: Service {
    let logger: Logger

    func run() async throws {
        var hasReceivedFirst = false
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint).cancelOnGracefulShutdown() {
            guard hasReceivedFirst else {
                hasReceivedFirst = true
                continue
            }
            logger.notice("second signal: exiting at once", metadata: ["signal": "\(signal)"])
            // Acknowledged writes are on disk. The exit code is 128 plus the signal number, as in a shell.
            _exit(signal == .sigint ? 130 : 143)
        }
    }
}
