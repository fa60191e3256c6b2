import ChatDomain
import CoreMetrics
import Logging
import Transport

/// How a server is to run.
public struct Configuration: Sendable {
    /// An address literal or `localhost`.
    public var host = "127.0.0.1"
    /// 0 picks a free one.
    public var port: UInt16 = 8080
    /// A second listener, over TLS.
    public var tls: TLS?
    /// A listener for those who run the server, of the loopback alone.
    public var admin = Admin()
    /// Where the server keeps what outlives it.
    public var dataFolder = "belfry-data"
    /// The HS256 key of users' tokens, at least 32 bytes; may be left out where there are public keys, or
    /// `authenticate`.
    public var tokenSecret: String?
    /// Public keys of users' tokens, and what their claims must say.
    public var tokens = Tokens()
    /// The key of the app's backend, at least 16 bytes; without one the server-only commands are closed.
    public var apiKey: String?
    /// A file of more such keys, each with what it may be used for; read again by `Server.reloadKeys()`.
    public var keysFile: String?
    /// A bare WebSocket echo at `/echo`, for conformance suites.
    public var hasEcho = false
    /// Event loops; as many as there are processors by default.
    public var loopCount: Int?
    /// The web client at `/`.
    public var page = Page()
    /// Sockets that listen already, in the place of the addresses.
    package var sockets = ListeningSockets()
    /// Your own answer to who somebody is, asked in place of Belfry's check of tokens.
    public var authenticate: Authentication.Check?
    public var authenticationLimits = Authentication.Limits()
    /// How much is logged; nil for as much as the logger given to the server says.
    public var logLevel: Logger.Level?
    /// Where metrics go beside `/metrics`.
    public var metrics: (any MetricsFactory)?
    /// Your own HTTP, on the same listeners.
    public var routes = Routes()
    /// Commands that may be under way by `Server.call`; beyond it they are refused with 111.
    public var callsAtOnce = 1_000
    /// For `Server.events`.
    public var events = Events()
    package var chat = ChatSettings()
    package var limits = Limits()
    /// What time it is in the chat, in milliseconds since 1970; a test may bring its own.
    package var clock: @Sendable () -> Int64 = WallClock.milliseconds

    public init(tokenSecret: String? = nil, apiKey: String? = nil) {
        self.tokenSecret = tokenSecret
        self.apiKey = apiKey
    }
}

/// Why a server does not start: what is wrong and what to do.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    public let description: String
    /// Of sysexits.h: 78 for a wrong configuration, 65 for damaged data, 74 for a disk that cannot be used.
    package let exitCode: Int32

    public init(_ description: String) { self.init(description, exitCode: 78) }

    package init(_ description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }
}
