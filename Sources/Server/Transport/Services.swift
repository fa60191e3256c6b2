import API
import ChatEngine
import EventLoops
import Gateway
import Logging
import MetricTable
import Metrics
import Page
import Synchronization

/// What all connections of the server share. A class, because it is accessed for every frame.
package final class Services: Sendable {
    package let engine: ChatEngine
    package let publisher: Publisher
    package let commands: CommandTable
    private let tokens: any TokenChecker
    /// The embedding program's authenticator, used instead of `tokens`.
    let authenticator: (any Authenticator)?
    package let keys: KeyRing
    package let files: FileStore
    let idempotency: IdempotentRequests
    package let readiness: ReadyFlag
    /// The text of `/metrics`.
    package let metricsText: @Sendable () -> String
    package let metrics: ConnectionMetrics
    /// Milliseconds since 1970.
    package let wallClock: @Sendable () -> Int64
    /// The limits loops start with; each then has its own copy, which may change.
    let limits: ConnectionLimits
    let census: ConnectionCensus
    package let unread: HeldBytes
    package let unfinished: HeldBytes
    let commandRates: CommandRates
    let guestRates: GuestRates
    let strangerRates: StrangerRates
    package let logger: Logger
    /// The server's version, sent in the connect reply.
    package let version: String
    /// Identifies this process among others.
    package let node: String
    package let hasEcho: Bool
    /// The web client; nil when it is disabled.
    package let page: PageFiles?
    /// The embedding program's routes.
    let routes: (any HostRoutes)?
    /// The admin listener's routes; nil without that listener.
    let adminRoutes: (any HostRoutes)?

    package init(
        engine: ChatEngine, publisher: Publisher, commands: CommandTable, tokens: any TokenChecker, keys: KeyRing,
        files: FileStore, idempotency: IdempotentRequests,
        readiness: ReadyFlag,
        metricsText: @escaping @Sendable () -> String, metrics: any MetricsFactory,
        wallClock: @escaping @Sendable () -> Int64, limits: ConnectionLimits,
        logger: Logger, version: String, node: String, hasEcho: Bool, page: PageFiles?,
        routes: (any HostRoutes)? = nil, adminRoutes: (any HostRoutes)? = nil, authenticator: (any Authenticator)? = nil
    ) {
        self.engine = engine
        self.publisher = publisher
        self.commands = commands
        self.tokens = tokens
        self.keys = keys
        self.files = files
        self.idempotency = idempotency
        self.readiness = readiness
        self.metricsText = metricsText
        self.metrics = ConnectionMetrics(metrics)
        self.wallClock = wallClock
        self.limits = limits
        census = ConnectionCensus(limits.census)
        unread = HeldBytes(limits.unread)
        unfinished = HeldBytes(limits.unfinished)
        commandRates = CommandRates(limits.commandsOfUser)
        guestRates = GuestRates(limits.guests)
        strangerRates = StrangerRates(limits.strangers)
        self.logger = logger
        self.version = version
        self.node = node
        self.hasEcho = hasEcho
        self.page = page
        self.routes = routes
        self.adminRoutes = adminRoutes
        self.authenticator = authenticator
        commands.unknownFields.adopt(limits.unknownFields)
    }

    /// Changes the limits that are counted over all loops.
    package func adopt(_ limits: ConnectionLimits) {
        census.adopt(limits.census)
        commandRates.adopt(limits.commandsOfUser)
        guestRates.adopt(limits.guests)
        strangerRates.adopt(limits.strangers)
        commands.unknownFields.adopt(limits.unknownFields)
    }

    /// Verifies credentials. All authentication goes through here, and revoked tokens are refused whoever verified
    /// them.
    ///
    /// - Parameter completion: Called once, on the loop.
    func verify(
        _ presented: PresentedCredentials, on server: LoopServer,
        then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        let checked: @Sendable (Result<Identity, TokenRefusal>) -> Void = { [engine] result in
            server.loop.post {
                // Check revocation here, not where the token was verified: a revocation from now on reaches the loop
                // after this closure, and finds the connection.
                completion(result.flatMap { engine.revokedTokens.refuses($0) ? .failure(.invalid) : .success($0) })
            }
        }
        guard let authenticator else { return tokens.verify(presented.token, then: checked) }
        authenticator.verify(presented, then: checked)
    }

    /// Whether the server accepts new work, as `/readyz` reports.
    package final class ReadyFlag: Sendable {
        private let flag = Atomic<Bool>(false)
        package init() {}
        package var isReady: Bool { flag.load(ordering: .acquiring) }
        package func set(_ isReady: Bool) { flag.store(isReady, ordering: .releasing) }
    }
}

package struct ConnectionMetrics: Sendable {
    let accepted: Counter
    private let refusals: [ConnectionCensus.Refusal: Counter]
    let commandsRefused: Counter
    /// Guests refused because their address had created too many.
    let guestsRefused: Counter
    /// Requests without credentials refused because their address had sent too many.
    let strangersRefused: Counter
    let open: Meter
    /// Open WebSockets that use the Protobuf form.
    let protobufConnections: Meter
    let messagesIn: Counter
    let deliveries: Counter
    let slow: Counter
    let transientsDropped: Counter
    let violations: Counter
    let outboxBytes: Gauge
    /// How often a body was not read further because its handler was slower.
    let routePauses: Counter
    let compression: CompressionMetrics
    let codes: CodeMetrics

    init(_ factory: any MetricsFactory) {
        accepted = Counter(.connectionsAccepted, factory)
        refusals = Dictionary(
            uniqueKeysWithValues: ConnectionCensus.Refusal.allCases.map { refusal in
                (refusal, Counter(.connectionsRefused, factory, dimensions: [("reason", refusal.rawValue)]))
            })
        commandsRefused = Counter(.commandsRefused, factory)
        guestsRefused = Counter(.guestsRefused, factory)
        strangersRefused = Counter(.strangersRefused, factory)
        open = Meter(.connections, factory)
        protobufConnections = Meter(.protobufConnections, factory)
        messagesIn = Counter(.messagesReceived, factory)
        deliveries = Counter(.deliveries, factory)
        slow = Counter(.slowConsumers, factory)
        transientsDropped = Counter(.transientsDropped, factory)
        violations = Counter(.protocolViolations, factory)
        compression = CompressionMetrics(factory)
        routePauses = Counter(.routePauses, factory)
        codes = CodeMetrics(factory)
        outboxBytes = Gauge(.outboxBytesAtOverflow, factory)
    }

    func refuse(_ refusal: ConnectionCensus.Refusal) { refusals[refusal]?.increment() }
}
