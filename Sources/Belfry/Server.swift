import API
import ChatEngine
import CoreMetrics
import EventLoops
import Gateway
import Journal
import Logging
import Metrics
import SearchIndex
import ServiceLifecycle
import Synchronization
import Transport
import Webhooks

/// A Belfry server, with its loops, engine, journal and listening sockets.
///
/// `init` builds the server and restores the chat. `run` implements swift-service-lifecycle's `Service`: it serves
/// clients until the service group shuts down gracefully, then drains.
public final class Server: Service {
    /// An address that the server listens on.
    public struct Address: Sendable, Equatable {
        /// A numeric address.
        public let host: String
        /// The actual port, even if the configuration asks for a free one.
        public let port: UInt16
    }

    /// The server that runs the current route handler; nil outside handlers.
    @TaskLocal public static var current: Server?

    /// The address of the plain listener.
    public let address: Address
    /// The address of the TLS listener, if there is one.
    public let tlsAddress: Address?
    /// The address of the admin listener, if there is one.
    public let adminAddress: Address?
    let configuration: Configuration
    let settings: EffectiveSettings
    private let folder: DataFolder
    let storage: Storage
    /// `nil` for a single server.
    let cluster: (any ClusterMembership)?
    private let network: Network
    let services: Services
    let calls: InProcessCalls
    let tap: EventTap
    /// The server's own metrics, regardless of the host's backend.
    let registry: PrometheusRegistry
    let webhooks: WebhookDispatcher
    let hook: HookCaller
    let search: SearchIndexer
    let vitals: Vitals
    let diskReserve: DiskReserve
    let identity: TLSIdentity?
    let tokenKeys: TokenKeys
    let keys: ServerKeys
    let logger: Logger
    /// Set when the listening sockets start accepting connections, or are closed because the server stops before it
    /// runs.
    private let areListenersConsumed = Atomic(false)

    var loops: [EventLoop] { network.loops }
    var servers: [LoopServer] { network.servers }

    /// Restores the chat from the journal and opens the listening sockets. In-process commands and events work
    /// immediately; clients that connect before `run` wait in the kernel's queue.
    ///
    /// - Throws: `ConfigurationError` when the data folder or an address is in use, a key is too weak, or the
    ///   certificate cannot be used.
    public init(_ configuration: Configuration, logger: Logger) async throws(ConfigurationError) {
        let logger = configuration.leveled(logger)
        self.configuration = configuration
        self.logger = logger
        let secrets = try Secrets(of: configuration)
        folder = try DataFolder(configuration.dataFolder)
        let registry = PrometheusRegistry()
        self.registry = registry
        let metrics: any MetricsFactory =
            configuration.metrics.map { MultiplexMetricsHandler(factories: [registry, $0]) } ?? registry
        let files = try Self.openFiles(in: folder, limits: configuration.limits.files, metrics, logger)
        let page = try configuration.page.files(allowsGuests: configuration.chat.guests.isEnabled)
        settings = EffectiveSettings(configuration, metrics)
        tokenKeys = try await TokenKeys(configuration.tokens, secret: secrets.tokenSecret, metrics, logger)
        keys = try ServerKeys(apiKey: secrets.apiKey, path: configuration.keysFile, metrics: metrics, logger)
        tap = try Self.eventTap(configuration, metrics)
        calls = try Self.inProcessCalls(configuration, metrics)
        let authenticator = try Self.authenticator(configuration, tokens: tokenKeys.checker, metrics)
        let routes = try RouteTables(configuration, page: page, metrics: metrics, logger)
        identity = try Self.identity(configuration, metrics, logger)
        network = try Network.open(configuration)
        address = network.plain.address
        tlsAddress = network.tls?.address
        adminAddress = network.admin?.address
        let entrance = try await Self.enterCluster(configuration, folder, metrics, logger)
        storage = try Storage(
            folder, limits: configuration.limits, isMirror: entrance != nil, metrics: metrics, logger: logger)
        diskReserve = Self.diskReserve(of: folder, configuration, storage, files, metrics, logger)
        webhooks = try WebhookFolder.dispatcher(folder, configuration.limits.webhooks, metrics, logger)
        hook = HookCaller(
            limits: configuration.limits.hook, destinations: configuration.limits.webhooks.destinations,
            metrics: metrics, clock: configuration.clock)
        search = try SearchFolder.index(folder, metrics, logger)
        let answers = IdempotentRequests(limits: configuration.limits.connection.idempotency, metrics: metrics)
        let erasures = try ErasureKeeper(
            folder, snapshots: storage.snapshots, webhooks: webhooks, answers: answers, search: search,
            metrics: metrics, logger: logger)
        cluster = entrance?.join(configuration, storage, metrics, logger)
        let chat = try Self.restoreChat(
            configuration, from: storage, on: network.servers, files: files, tokens: tokenKeys.verifier,
            answers: answers, webhooks: webhooks, hooks: HookGate(hook, metrics: metrics), search: search,
            erasures: erasures, tap: tap, cluster: cluster, metrics)
        await Self.repeatErasures(erasures, in: chat, isClustered: cluster != nil)
        services = Services(
            chat: chat,
            access: AccessControl(
                tokens: tokenKeys.checker, authenticator: authenticator, revokedTokens: chat.engine.revokedTokens,
                keys: keys.ring),
            limits: SharedLimits(
                configuration.connectionLimits(loops: network.loops.count), unknownFields: chat.commands.unknownFields),
            content: HTTPContent(
                files: files, page: page, routes: routes.host, adminRoutes: routes.admin,
                console: routes.admin.map { _ in .console() }, adminGuard: try configuration.admin.hostGuard(),
                metricsText: { registry.text() }, servesEcho: configuration.servesEcho,
                isReady: { [cluster] in cluster?.isReady ?? erasures.isClear(chat.engine, isCurrent: true) }),
            identity: ServerIdentity(version: Version.number, node: Self.nodeName()),
            metrics: ConnectionMetrics(metrics), wallClock: WallClock.milliseconds, logger: logger)
        vitals = Vitals(
            loops: network.loops, servers: network.servers, chat: chat, limits: services.limits, metrics: metrics)
        for server in servers { server.start(services) }
        cluster?.watch { [servers] in for server in servers { server.sendAway() } }
        routes.attach(to: self)
    }

    /// Starts serving clients. Has no effect on a server that is serving or has stopped.
    package func start() {
        guard !areListenersConsumed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        services.content.readiness.set(true)
        tokenKeys.start()
        network.accept(with: identity)
        network.logAddresses(to: logger)
    }

    /// Frees the addresses of a server that stops without having run.
    func closeUnusedListeners() {
        guard !areListenersConsumed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        network.closeListeners()
    }

    /// Serves clients until the service group begins a graceful shutdown or the task is cancelled, then drains.
    ///
    /// - Throws: `StorageFailure` when the disk fails to store client data. The server has acknowledged nothing since;
    ///   exit, and let a new process start from the data on disk. `ClusterFailure` when the node must leave its cluster;
    ///   a new process may join it again.
    public func run() async throws {
        start()
        if let failure = await failure() {
            services.content.readiness.set(false)
            tokenKeys.stop()
            for server in servers { server.closeAll() }
            calls.close()
            tap.close(.storageFailed)
            cluster?.stop()
            throw failure
        }
        await stop()
    }

    /// Waits for a failure that ends the server.
    ///
    /// - Returns: `nil` once a graceful shutdown begins.
    private func failure() async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                try? await gracefulShutdown()
                return nil
            }
            group.addTask { [storage] in await storage.failure() }
            if let cluster { group.addTask { await cluster.failure() } }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
