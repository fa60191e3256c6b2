#if Cluster
import API
import ChatEngine
import Cluster
import CoreMetrics
import Journal
import Logging
import MetricTable
import Metrics
import Replication
import Synchronization
import Webhooks

/// A server's part in a cluster over NATS.
final class ClusterMember: ClusterMembership {
    private static let positionMilliseconds = 500

    private let node: ClusterNode
    private let sharing = Mutex<Task<Void, Never>?>(nil)
    private let link: ClusterLink
    private let failures: AsyncStream<ReplicaFailure>
    private let logger: Logger
    private let writer: Gauge
    private let term: Gauge

    /// Connects to the cluster.
    init(
        _ configuration: Configuration, _ storage: Storage, metrics: any MetricsFactory, _ logger: Logger
    ) async throws(ConfigurationError) {
        let link = try await ClusterLink.open(configuration, logger: logger, metrics: metrics)
        let (failures, failure) = AsyncStream.makeStream(of: ReplicaFailure.self)
        self.link = link
        self.failures = failures
        self.logger = logger
        writer = Gauge(.clusterWriter, metrics)
        term = Gauge(.clusterTerm, metrics)
        writer.record(0)
        node = ClusterNode(link.node, of: link.cluster, journal: storage.log, store: link.store, bus: link.bus) {
            logger.critical("the node leaves the cluster", metadata: ["error": "\($0)"])
            failure.yield($0)
        }
    }

    var log: any EventLog<Outcome> { node.log }
    var port: any ClusterPort { node }

    func start(
        _ engine: ChatEngine, _ commands: CommandTable, _ webhooks: WebhookDispatcher,
        began: @escaping @Sendable (_ isWriter: Bool) -> Void
    ) {
        let (node, logger, writer, term) = (node, logger, writer, term)
        webhooks.setSending(false)
        node.start(
            engine,
            ClusterNode.Services(
                execute: { commands.execute($0, answerTo: $1) },
                hear: { news in
                    if case .webhookPositions(let positions) = news { return webhooks.skip(to: positions) }
                    commands.hear(news)
                },
                began: { new in
                    let isWriter = new.writer == node.id
                    writer.record(isWriter ? 1 : 0)
                    term.record(new.number)
                    logger.notice(
                        "a term of the cluster began",
                        metadata: ["term": "\(new.number)", "writer": "\(new.writer.name)"])
                    webhooks.setSending(isWriter)
                    began(isWriter)
                }))
        sharePositions(of: webhooks)
    }

    /// Tells the other nodes what need not be sent again. What they do not hear is sent twice when the writer changes.
    private func sharePositions(of webhooks: WebhookDispatcher) {
        let sharing = Task { [node] in
            while !Task.isCancelled {
                let positions = webhooks.positions
                if node.isWriter, !positions.isEmpty { node.share(.webhookPositions(positions)) }
                try? await Task.sleep(for: .milliseconds(Self.positionMilliseconds))
            }
        }
        self.sharing.withLock { $0 = sharing }
    }

    func failure() async -> ClusterFailure? {
        await failures.first { _ in true }.map { ClusterFailure(description: "the node leaves the cluster: \($0)") }
    }

    func stop() {
        sharing.withLock { $0?.cancel() }
        node.stop()
        link.close()
    }
}
#endif
