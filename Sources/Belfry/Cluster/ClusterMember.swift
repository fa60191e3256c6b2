#if Cluster
import ChatEngine
import Cluster
import CoreMetrics
import Journal
import Logging
import Replication
import Synchronization
import Transport
import Webhooks

/// A server's part in a cluster over NATS.
final class ClusterMember: ClusterMembership {
    private static let intervalMilliseconds = 500

    private let node: ClusterNode
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let exchange = Mutex<DeadLetterExchange?>(nil)
    private let link: ClusterLink
    private let failures: AsyncStream<ReplicaFailure>
    private let logger: Logger
    private let metrics: ClusterMetrics
    private let facts: NodeBeat.Facts

    /// Connects to the cluster.
    init(
        _ configuration: Configuration, _ storage: Storage, metrics: any MetricsFactory, _ logger: Logger
    ) async throws(ConfigurationError) {
        let link = try await ClusterLink.open(configuration, logger: logger, metrics: metrics)
        let facts = NodeBeat.Facts(
            version: Version.number, settingsDigest: configuration.clusterDigest,
            address: configuration.cluster.address ?? "")
        let (failures, failure) = AsyncStream.makeStream(of: ReplicaFailure.self)
        self.link = link
        self.failures = failures
        self.logger = logger
        let clusterMetrics = ClusterMetrics(metrics)
        self.metrics = clusterMetrics
        self.facts = facts
        node = ClusterNode(
            link.node, of: link.cluster, journal: storage.log, store: MeasuredLogStore(link.store, metrics),
            bus: link.bus, facts: facts,
            failed: {
                logger.critical("the node leaves the cluster", metadata: ["error": "\($0)"])
                failure.yield($0)
            }, refused: { clusterMetrics.record(refused: $0) })
    }

    var log: any EventLog<Outcome> { node.log }
    var port: any ClusterPort { node }

    func start(
        _ chat: ChatServices, _ webhooks: WebhookDispatcher, began: @escaping @Sendable (_ isWriter: Bool) -> Void
    ) {
        let (node, logger, metrics) = (node, logger, metrics)
        let exchange = DeadLetterExchange(link.node, link.bus, webhooks)
        self.exchange.withLock { $0 = exchange }
        webhooks.setRemoteReplay { [weak exchange] ids, webhook, done in
            guard let exchange else { return done(nil) }
            exchange.replay(ids, of: webhook, done)
        }
        exchange.start()
        node.start(
            chat.engine,
            ClusterNode.Services(
                execute: { command, remote in
                    chat.idempotency.execute(command, remote, by: chat.commands, at: WallClock.milliseconds())
                },
                hear: { chat.commands.hear($0) },
                began: { term in
                    let isWriter = term.writer == node.id
                    metrics.record(term, isWriter: isWriter)
                    logger.notice(
                        "a term of the cluster began",
                        metadata: ["term": "\(term.number)", "writer": "\(term.writer.name)"])
                    webhooks.setSending(isWriter, in: term.number)
                    exchange.begin(term)
                    began(isWriter)
                }, keep: { chat.idempotency.keep($0, at: WallClock.milliseconds()) },
                late: { chat.publisher.answerLate($0) }))
        repeatedly { exchange.tell() }
    }

    var isReady: Bool { node.status.isReady }

    var statusJSON: [UInt8] { node.status.json(of: node.id, in: link.cluster, facts) }

    func watch(_ isCutOff: @escaping @Sendable () -> Void) {
        let reporter = ClusterReporter(logger, metrics)
        repeatedly { [node] in
            let status = node.status
            reporter.report(status)
            if status.isCutOff { isCutOff() }
        }
    }

    func handOver() async { await withCheckedContinuation { done in node.handOver { done.resume() } } }

    /// Runs a closure several times a second until `stop`.
    private func repeatedly(_ body: @escaping @Sendable () -> Void) {
        let task = Task {
            while !Task.isCancelled {
                body()
                try? await Task.sleep(for: .milliseconds(Self.intervalMilliseconds))
            }
        }
        tasks.withLock { $0.append(task) }
    }

    func failure() async -> ClusterFailure? {
        await failures.first { _ in true }.map { ClusterFailure(description: "the node leaves the cluster: \($0)") }
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        node.stop()
        exchange.withLock(\.self)?.stop()
        link.close()
    }
}
#endif
