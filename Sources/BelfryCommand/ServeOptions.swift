import ArgumentParser
import Belfry
import Foundation
import Logging

/// The command-line options of `serve`, and of `check`, which validates the same ones.
struct ServeOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one. (default: 8080)")
    var port: UInt16?

    @Option(name: .customLong("tls-port"), help: "A second port to listen on, with TLS; 0 picks a free one.")
    var tlsPort: UInt16?

    @Option(name: .customLong("tls-host"), help: "The address of that port; the one of --host if left out.")
    var tlsHost: String?

    @Option(
        name: .customLong("tls-certificate"),
        help: "A PEM file: the server's certificate, then those between it and the root.")
    var tlsCertificate: String?

    @Option(name: .customLong("tls-key"), help: "A PEM file with the certificate's key, without a passphrase.")
    var tlsKey: String?

    @Option(
        name: .customLong("admin-port"),
        help: "A port of the loopback for those who run the server; 0 picks a free one. Off if left out.")
    var adminPort: UInt16?

    @Option(
        name: .customLong("admin-host"),
        help: "The address of that port, one of the loopback. (default: 127.0.0.1)")
    var adminHost: String?

    @Option(help: "The folder for what outlives the process.")
    var data = "belfry-data"

    @Option(help: "A folder with another web client than the one in the program, read once at the start.")
    var page: String?

    @Option(
        name: .customLong("log-level"),
        help: "trace, debug, info, notice, warning, error or critical. (default: notice)")
    var logLevel: Logger.Level?

    /// The level used unless the settings specify one.
    var usualLogLevel: Logger.Level { logLevel ?? .notice }

    @Option(help: "A JSON file of settings.")
    var config: String?

    @Flag(help: "Make up missing keys, keep them in the data folder and show how to try the server.")
    var development = false

    @Flag(help: "Add a bare WebSocket echo at /echo, for conformance suites.")
    var echo = false

    /// Combines options, settings file and environment; keys are not included yet.
    func configuration(
        environment: [String: String], sockets: ListeningSockets = ListeningSockets()
    ) async throws(ConfigurationError) -> Configuration {
        try check(sockets)
        var configuration = Configuration(tokenSecret: nil)
        if let host { configuration.host = host }
        if let port { configuration.port = port }
        configuration.sockets = sockets
        configuration.tls = try Configuration.TLS.given(
            host: tlsHost, port: sockets.tls == nil ? tlsPort : 0, certificatePath: tlsCertificate, keyPath: tlsKey)
        configuration.dataFolder = data
        configuration.hasEcho = echo
        try await configuration.apply(settingsFile: config, environment: environment)
        if let page { configuration.page.folder = page }
        configuration.logLevel = logLevel ?? configuration.logLevel ?? usualLogLevel
        if let adminHost { configuration.admin.host = adminHost }
        if let adminPort { configuration.admin.port = adminPort }
        return configuration
    }

    /// - Throws: For an address option whose socket was inherited.
    private func check(_ sockets: ListeningSockets) throws(ConfigurationError) {
        if sockets.plain != nil, host != nil || port != nil {
            throw ConfigurationError("a plain socket was handed over: leave out --host and --port")
        }
        if sockets.tls != nil, tlsHost != nil || tlsPort != nil {
            throw ConfigurationError("a tls socket was handed over: leave out --tls-host and --tls-port")
        }
    }
}
