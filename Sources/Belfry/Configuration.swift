import ChatDomain
import CoreMetrics
import Logging
import Transport

/// The configuration of a server.
public struct Configuration: Sendable {
    /// The address to listen on: an address literal or `localhost`.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 picks a free one.
    public var port: UInt16 = 8080
    /// An additional TLS listener.
    public var tls: TLS?
    /// A listener for operators, on loopback addresses only.
    public var admin = Admin()
    /// Several nodes that share one chat.
    public var cluster = Cluster()
    /// The folder for the server's persistent data.
    public var dataFolder = "belfry-data"
    /// The HS256 key for users' tokens, at least 32 bytes. Optional with public keys or `authenticate`.
    public var tokenSecret: String?
    /// Public keys for users' tokens, and the required claims.
    public var tokens = Tokens()
    /// The API key of the app's backend, at least 16 bytes. Without one, the server refuses server-only commands.
    public var apiKey: String?
    /// A file of additional server keys, each with its scopes; `Server.reloadKeys()` reads it again.
    public var keysFile: String?
    /// Whether to serve a bare WebSocket echo at `/echo`, for conformance suites.
    public var servesEcho = false
    /// The number of event loops; nil for one per processor.
    public var loopCount: Int?
    /// Options of the web client at `/`.
    public var page = Page()
    /// Inherited listening sockets, used instead of binding the addresses.
    package var sockets = ListeningSockets()
    /// Custom authentication, used instead of Belfry's token check.
    public var authenticate: Authentication.Check?
    /// Limits of `authenticate`.
    public var authenticationLimits = Authentication.Limits()
    /// The log level; nil keeps the level of the logger passed to the server.
    public var logLevel: Logger.Level?
    /// An additional metrics backend; `/metrics` works without one.
    public var metrics: (any MetricsFactory)?
    /// Your own HTTP routes, on the same listeners.
    public var routes = Routes()
    /// The maximum number of concurrent commands from `Server.call`; the server refuses more with 111.
    public var maxConcurrentCalls = 1_000
    /// Limits of `Server.events`.
    public var events = Events()
    /// The settings that were set explicitly, by key, with their sources.
    package var configured: [String: ConfiguredSetting] = [:]
    package var chat = ChatSettings()
    package var limits = Limits()
    /// The chat's clock, in milliseconds since 1970; tests may replace it.
    package var clock: @Sendable () -> Int64 = WallClock.milliseconds

    /// Creates a configuration with default values.
    ///
    /// - Parameters:
    ///   - tokenSecret: See `tokenSecret`.
    ///   - apiKey: See `apiKey`.
    public init(tokenSecret: String? = nil, apiKey: String? = nil) {
        self.tokenSecret = tokenSecret
        self.apiKey = apiKey
    }
}

/// The reason a server failed to start, and how to fix it.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The problem and how to fix it, in one line.
    public let description: String
    /// The exit code from sysexits.h: 78 for a bad configuration, 65 for damaged data, 69 for an
    /// unavailable service, 74 for an unusable disk.
    package let exitCode: Int32

    /// Creates an error about the configuration.
    public init(_ description: String) { self.init(description, exitCode: 78) }

    package init(_ description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }
}
