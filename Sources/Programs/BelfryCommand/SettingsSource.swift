import Belfry

/// The sources of a server's configuration, kept so that it can be reread as at startup.
struct SettingsSource: Sendable {
    private let options: ServeOptions
    /// The setting variables at startup; nothing outside a process can change its environment. Keys are excluded,
    /// because libraries log the services that they run.
    private let environment: [String: String]
    private let sockets: ListeningSockets
    private let secrets: Secrets

    init(_ options: ServeOptions, environment: [String: String], sockets: ListeningSockets, secrets: Secrets) {
        self.options = options
        self.environment = environment.filter { variable in
            Setting.table.contains { $0.environmentName == variable.key }
        }
        self.sockets = sockets
        self.secrets = secrets
    }

    func configuration() async throws(ConfigurationError) -> Configuration {
        var configuration = try await options.configuration(environment: environment, sockets: sockets)
        configuration.tokenSecret = secrets.tokenSecret
        configuration.apiKey = secrets.apiKey
        return configuration
    }
}
