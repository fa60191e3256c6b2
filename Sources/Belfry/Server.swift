import API
import ChatEngine
import CoreMetrics
import Dispatch
import EventLoops
import Gateway
import Glibc
import Journal
import Logging
import Metrics
import ServiceLifecycle
import Transport
import Webhooks

/// A running server: loops, engine, journal and listening sockets.
///
/// `run` implements swift-service-lifecycle's `Service`: it serves until the service group shuts down
/// gracefully, then drains.
public final class Server: Service {
    /// Where the server listens.
    public struct Address: Sendable, Equatable {
        /// A numeric address.
        public let host: String
        /// The port, also if a free one was picked.
        public let port: UInt16
    }

    /// Inside a route handler: the server that runs it.
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
    let loops: [EventLoop]
    let servers: [LoopServer]
    let services: Services
    let calls: InProcessCalls
    let tap: EventTap
    /// The server's own metrics, regardless of the host's backend.
    let registry: PrometheusRegistry
    let webhooks: WebhookDispatcher
    let vitals: Vitals
    let diskReserve: DiskReserve
    let identity: TLSIdentity?
    let tokenKeys: TokenKeys
    let keys: ServerKeys
    let logger: Logger

    /// Builds the server and starts listening; when it returns, clients are being served.
    ///
    /// - Throws: `ConfigurationError` when the data folder or an address is in use, a key is weak or the
    ///   certificate cannot be used.
    public init(_ configuration: Configuration, logger: Logger) async throws(ConfigurationError) {
        self.configuration = configuration
        let logger = configuration.leveled(logger)
        self.logger = logger
        let secrets = try Secrets(of: configuration)
        folder = try DataFolder(configuration.dataFolder)
        let registry = PrometheusRegistry()
        self.registry = registry
        let metrics: any MetricsFactory =
            configuration.metrics.map { MultiplexMetricsHandler(factories: [registry, $0]) } ?? registry
        let files = try Self.openFiles(in: folder, limits: configuration.limits.files, metrics)
        if !files.makesThumbnails {
            logger.info(
                "thumbnails are off: disabled, or vipsthumbnail was not found", metadata: ["tool": "vipsthumbnail"])
        }
        let page = try configuration.page.files(guestsAreWelcome: configuration.chat.guests.isEnabled)
        settings = EffectiveSettings(configuration, metrics)
        let tokenKeys = try await TokenKeys(configuration.tokens, secret: secrets.tokenSecret, metrics, logger)
        self.tokenKeys = tokenKeys
        let tokens = tokenKeys.verifier
        let keys = try ServerKeys(
            apiKey: secrets.apiKey, path: configuration.keysFile, metrics: metrics, logger)
        self.keys = keys
        let limits = configuration.limits
        var eventLimits = try configuration.events.limits()
        eventLimits.tails = configuration.admin.tailLimits
        guard configuration.callsAtOnce > 0 else { throw ConfigurationError("callsAtOnce must be at least 1") }
        let authenticator = try configuration.authenticate.map { (check) throws(ConfigurationError) in
            try HostAuthenticator(
                check, tokens: tokenKeys.checker, limits: configuration.authenticationLimits, metrics: metrics)
        }
        let routes = try Self.routes(configuration, page: page, metrics: metrics, logger)
        let adminRoutes = try AdminRoutes.table(of: configuration.admin, metrics: metrics, logger)
        let identity = try Self.identity(configuration, metrics, logger)
        self.identity = identity
        let (loops, listeners) = try Self.open(configuration)
        self.loops = loops
        address = listeners.plain.address
        tlsAddress = listeners.tls?.address
        adminAddress = listeners.admin?.address
        servers = loops.map { LoopServer(loop: $0) }
        let journalQueue = DispatchQueue(label: "belfry.journal")
        let storage = try Storage(
            folder, queue: journalQueue, limits: limits, metrics: metrics, logger: logger)
        self.storage = storage
        diskReserve = DiskReserve(
            folder.path, reserve: limits.reserveBytes, metrics: metrics, logger: logger
        ) { level in
            files.setShortOfSpace(level != .enough)
            storage.log.suspendReservations(of: level.suspendedCallers)
        }
        let webhooks = try WebhookFolder.dispatcher(folder, limits.webhooks, metrics, logger)
        self.webhooks = webhooks
        tap = EventTap(eventLimits, metrics: metrics)
        calls = InProcessCalls(limit: configuration.callsAtOnce, metrics: metrics)
        let idempotency = IdempotentRequests(limits: limits.connection.idempotency, metrics: metrics)
        let publisher = Publisher(
            queue: journalQueue, ports: servers, rings: limits.rings, metrics: metrics, webhooks: webhooks, tap: tap,
            removeFiles: { files.remove($0) })
        let engine = ChatEngine(
            log: storage.log, publisher: publisher, ports: servers, settings: configuration.chat,
            limits: limits.engine, metrics: metrics, random: SystemEntropy(), runsOnLoops: true,
            clock: configuration.clock)
        try storage.restore(engine, snapshotsThrough: { webhooks.lastDelivered })
        services = Services(
            engine: engine, publisher: publisher,
            commands: CommandTable(engine: engine, tokens: tokens, deadLetters: webhooks),
            tokens: tokenKeys.checker,
            keys: keys.ring, files: files, idempotency: idempotency, readiness: Services.ReadyFlag(),
            metricsText: { registry.text() }, metrics: metrics, wallClock: WallClock.milliseconds,
            limits: configuration.connectionLimits(loops: loops.count), logger: logger, version: Version.number,
            node: Self.nodeName(),
            hasEcho: configuration.hasEcho, page: page, routes: routes,
            adminRoutes: adminRoutes, authenticator: authenticator)
        vitals = Vitals(
            loops: loops, servers: servers, engine: engine, publisher: publisher,
            unread: services.unread, unfinished: services.unfinished, metrics: metrics)
        engine.withFileIDs { files.removeUnknown(keeping: $0) }
        for server in servers { server.start(services) }
        let serving = zip(servers, loops).map { (server: $0, loop: $1) }
        routes?.runner.attach(to: self)
        adminRoutes?.runner.attach(to: self)
        listeners.plain.accept(on: serving, .plain)
        if let identity { listeners.tls?.accept(on: serving, .tls(identity)) }
        listeners.admin?.accept(on: serving, .admin)
        services.readiness.set(true)
        tokenKeys.start()
        logger.notice(
            "listening",
            metadata: ["host": "\(address.host)", "port": "\(address.port)", "loops": "\(loops.count)"])
        if let tlsAddress {
            logger.notice(
                "listening with TLS", metadata: ["host": "\(tlsAddress.host)", "port": "\(tlsAddress.port)"])
        }
        if let adminAddress {
            logger.notice(
                "listening for operators",
                metadata: ["host": "\(adminAddress.host)", "port": "\(adminAddress.port)"])
        }
    }

    /// Serves until the service group begins a graceful shutdown or the task is cancelled, then drains.
    ///
    /// - Throws: `StorageFailure` when the disk fails to store what clients send. Nothing has been acknowledged
    ///   since; exit, and let a new process start from what is on disk.
    public func run() async throws {
        if let failure = await storage.failure(orUntil: { try? await gracefulShutdown() }) {
            services.readiness.set(false)
            tokenKeys.stop()
            for server in servers { server.closeAll() }
            calls.close()
            tap.close(.storageFailed)
            throw failure
        }
        await stop()
    }

    private static func open(
        _ configuration: Configuration
    ) throws(ConfigurationError) -> (
        loops: [EventLoop], listeners: (plain: PortListener, tls: PortListener?, admin: PortListener?)
    ) {
        let count = configuration.loopCount ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        var loops: [EventLoop] = []
        var opened: [PortListener] = []
        do throws(ConfigurationError) {
            do throws(SystemError) {
                for index in 0..<count {
                    loops.append(try EventLoop(label: "belfry.loop.\(index)", index: index))
                }
            } catch {
                throw ConfigurationError("the event loops cannot be created: \(error)")
            }
            let sockets = configuration.sockets
            let plain = try PortListener.open(sockets.plain, configuration.host, configuration.port, count: count)
            opened.append(plain)
            let tls = try configuration.tls.map { (tls) throws(ConfigurationError) in
                try PortListener.open(sockets.tls, tls.host ?? configuration.host, tls.port, count: count)
            }
            if let tls { opened.append(tls) }
            let admin = try configuration.admin.address().map { (address) throws(ConfigurationError) in
                try PortListener.open(nil, address.host, address.port, count: count)
            }
            return (loops, (plain, tls, admin))
        } catch {
            // An embedding process may live on, and a loop runs until it is shut down.
            for socket in opened.flatMap(\.sockets) { FileDescriptor(owning: socket).close() }
            for loop in loops { loop.shutdown {} }
            throw error
        }
    }

    private static func openFiles(
        in folder: DataFolder, limits: FileStore.Limits, _ metrics: any MetricsFactory
    ) throws(ConfigurationError) -> FileStore {
        do throws(FileStoreError) {
            return try FileStore(folder: folder.path + "/files", limits: limits, metrics: metrics)
        } catch {
            throw ConfigurationError("\(error.path) cannot be created: \(String(cString: strerror(error.code)))")
        }
    }

    private static func nodeName() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(UInt32.random(in: .min ... .max, using: &generator), radix: 36)
    }
}
