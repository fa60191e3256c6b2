import ArgumentParser
import Belfry
import Foundation
import Logging

/// The command-line options of `serve` and of `check`, which validates them.
struct ServeOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one. (default: 8080)")
    var port: UInt16?

    @Option(name: .customLong("tls-port"), help: "An additional port, for TLS; 0 picks a free one.")
    var tlsPort: UInt16?

    @Option(name: .customLong("tls-host"), help: "The address for --tls-port; by default the one for --port.")
    var tlsHost: String?

    @Option(
        name: .customLong("tls-certificate"),
        help: "A PEM file with the server's certificate, then any intermediates.")
    var tlsCertificate: String?

    @Option(name: .customLong("tls-key"), help: "A PEM file with the certificate's private key, without a passphrase.")
    var tlsKey: String?

    @Option(
        name: .customLong("admin-port"),
        help: "The port of the admin listener; 0 picks a free one. Off by default.")
    var adminPort: UInt16?

    @Option(
        name: .customLong("admin-host"),
        help: "The address for --admin-port; it must be a loopback address. (default: 127.0.0.1)")
    var adminHost: String?

    @Option(
        name: .customLong("cluster-url"),
        help: "The URL of a NATS server, for several nodes; repeat it, or separate URLs with commas.")
    var clusterURLs: [String] = []

    @Option(help: "The data folder: journal, snapshots, uploads.")
    var data = "belfry-data"

    @Option(help: "A folder with a web client to serve in place of the built-in one, read once at startup.")
    var page: String?

    @Option(
        name: .customLong("log-level"),
        help: "trace, debug, info, notice, warning, error or critical. (default: notice)")
    var logLevel: Logger.Level?

    /// The level used unless the settings specify one.
    var defaultLogLevel: Logger.Level { logLevel ?? .notice }

    @Option(help: "A JSON settings file.")
    var config: String?

    @Flag(help: "Generate missing keys, keep them in the data folder and print commands to try the server.")
    var development = false

    @Flag(help: "Serve a plain WebSocket echo at /echo, for conformance suites.")
    var echo = false

    /// Combines options, settings file and environment, without keys.
    func configuration(
        environment: [String: String], sockets: ListeningSockets = ListeningSockets()
    ) async throws(ConfigurationError) -> Configuration {
        try check(sockets)
        var configuration = Configuration(tokenSecret: nil)
        if let host { configuration.host = host }
        if let port { configuration.port = port }
        configuration.sockets = sockets
        configuration.tls = try Configuration.TLS.options(
            host: tlsHost, port: sockets.tls == nil ? tlsPort : 0, certificatePath: tlsCertificate, keyPath: tlsKey)
        configuration.dataFolder = data
        configuration.servesEcho = echo
        try await configuration.apply(settingsFile: config, environment: environment)
        recordOptions(in: &configuration)
        if let page { configuration.page.folder = page }
        configuration.logLevel = logLevel ?? configuration.logLevel ?? defaultLogLevel
        configuration.cluster.useServers(clusterURLs)
        if let adminHost { configuration.admin.host = adminHost }
        if let adminPort { configuration.admin.port = adminPort }
        return configuration
    }

    /// Records the options that set a setting as its source.
    private func recordOptions(in configuration: inout Configuration) {
        let options: [(key: String, value: String?, source: String)] = [
            ("page.folder", page, "--page"), ("log.level", logLevel?.rawValue, "--log-level"),
            ("cluster.url", clusterURLs.isEmpty ? nil : clusterURLs.joined(separator: ","), "--cluster-url"),
            ("admin.host", adminHost, "--admin-host"), ("admin.port", adminPort.map { "\($0)" }, "--admin-port"),
        ]
        for option in options {
            guard let value = option.value else { continue }
            configuration.configured[option.key] = ConfiguredSetting(
                key: option.key, value: value, source: option.source)
        }
    }

    /// - Throws: For an address option whose socket was inherited.
    private func check(_ sockets: ListeningSockets) throws(ConfigurationError) {
        if sockets.plain != nil, host != nil || port != nil {
            throw ConfigurationError("systemd passed a plain socket: remove --host and --port")
        }
        if sockets.tls != nil, tlsHost != nil || tlsPort != nil {
            throw ConfigurationError("systemd passed a tls socket: remove --tls-host and --tls-port")
        }
    }
}
