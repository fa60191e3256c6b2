import API
import ChatEngine
import EventLoops
import Gateway
import Glibc
import Journal
import Logging
import Metrics
import SearchIndex
import Transport
import Webhooks

/// Functions that make the parts of a server.
extension Server {
    static func openFiles(
        in folder: DataFolder, limits: FileStore.Limits, _ metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) -> FileStore {
        let files: FileStore
        do throws(FileStoreError) {
            files = try FileStore(folder: folder.path + "/files", limits: limits, metrics: metrics)
        } catch {
            throw ConfigurationError("cannot create \"\(error.path)\": \(String(cString: strerror(error.code)))")
        }
        if !files.makesThumbnails {
            logger.info(
                "thumbnails are off: disabled, or vipsthumbnail was not found", metadata: ["tool": "vipsthumbnail"])
        }
        return files
    }

    static func eventTap(
        _ configuration: Configuration, _ metrics: any MetricsFactory
    ) throws(ConfigurationError) -> EventTap {
        var limits = try configuration.events.limits()
        limits.tails = configuration.admin.tailLimits
        return EventTap(limits, metrics: metrics)
    }

    static func inProcessCalls(
        _ configuration: Configuration, _ metrics: any MetricsFactory
    ) throws(ConfigurationError) -> InProcessCalls {
        guard configuration.maxConcurrentCalls > 0 else {
            throw ConfigurationError("maxConcurrentCalls must be at least 1")
        }
        return InProcessCalls(limit: configuration.maxConcurrentCalls, metrics: metrics)
    }

    /// - Returns: Nil when the embedding program does not authenticate.
    static func authenticator(
        _ configuration: Configuration, tokens: any TokenChecker, _ metrics: any MetricsFactory
    ) throws(ConfigurationError) -> HostAuthenticator? {
        try configuration.authenticate.map { (check) throws(ConfigurationError) in
            try HostAuthenticator(check, tokens: tokens, limits: configuration.authenticationLimits, metrics: metrics)
        }
    }

    /// Refuses uploads and changes while the disk is short of space.
    static func diskReserve(
        of folder: DataFolder, _ configuration: Configuration, _ storage: Storage, _ files: FileStore,
        _ metrics: any MetricsFactory, _ logger: Logger
    ) -> DiskReserve {
        let log = storage.log
        return DiskReserve(
            folder.path, reserve: configuration.limits.reserveBytes, metrics: metrics, logger: logger
        ) { level in
            files.setShortOfSpace(level != .enough)
            log.suspendReservations(of: level.suspendedCallers)
        }
    }

    /// Builds the chat and restores it from the journal. Removes files that the chat does not know.
    ///
    /// - Throws: When the journal cannot be replayed.
    static func restoreChat(
        _ configuration: Configuration, from storage: Storage, on servers: [LoopServer], files: FileStore,
        tokens: TokenVerifier, answers: IdempotentRequests, webhooks: WebhookDispatcher, hooks: HookGate,
        search: SearchIndexer, erasures: ErasureKeeper, tap: EventTap, cluster: (any ClusterMembership)?,
        _ metrics: any MetricsFactory
    ) throws(ConfigurationError) -> ChatServices {
        let limits = configuration.limits
        let ports = servers.map { LoopPort($0) }
        let publisher = Publisher(
            queue: storage.queue, ports: ports, rings: limits.rings, metrics: metrics, webhooks: webhooks, tap: tap,
            removeFiles: { files.remove($0) }, recordErasure: { erasures.record($0) })
        let log: any EventLog<Outcome> = cluster?.log ?? storage.log
        let engine = ChatEngine(
            log: log, publisher: publisher, ports: ports, settings: configuration.chat,
            limits: limits.engine, search: search, metrics: metrics, random: SystemEntropy(), runsOnLoops: true,
            clock: configuration.clock)
        if let cluster {
            engine.join(cluster.port)
            // Only the writer sends, which is elected later.
            webhooks.setSending(false)
        }
        try storage.restore(engine, snapshotsThrough: { webhooks.lastDelivered })
        let commands = CommandTable(engine: engine, tokens: tokens, deadLetters: webhooks, hooks: hooks)
        let chat = ChatServices(
            engine: engine, publisher: publisher, commands: commands,
            idempotency: answers, isClustered: cluster != nil)
        let removeUnknownFiles = { @Sendable in engine.withFileIDs { files.removeUnknown(keeping: $0) } }
        if let cluster {
            // Another node does not know the newest files yet.
            cluster.start(chat, webhooks, isClear: { erasures.isClear(engine, isCurrent: $0) }) { isWriter in
                if isWriter { removeUnknownFiles() }
            }
        } else {
            removeUnknownFiles()
        }
        return chat
    }

    /// Repeats the deletions of users that a restored backup does not know (`PR1`). A single server waits for them; a node
    /// of a cluster catches up first, and is not ready until then.
    static func repeatErasures(
        _ erasures: ErasureKeeper, in chat: ChatServices, isClustered: Bool
    ) async {
        guard !isClustered else { return erasures.start(chat.engine) }
        await withCheckedContinuation { continuation in
            erasures.start(chat.engine) { continuation.resume() }
        }
    }

    /// Returns a random name that distinguishes this process from others.
    static func nodeName() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(UInt32.random(in: .min ... .max, using: &generator), radix: 36)
    }
}
