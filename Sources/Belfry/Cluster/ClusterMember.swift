#if Cluster
import ChatEngine
import Cluster
import CoreMetrics
import Dispatch
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
    /// Whether clients may use the node, which is as far as the others or not.
    private let isClear = Mutex<@Sendable (_ isCurrent: Bool) -> Bool>({ _ in false })
    private let exchange = Mutex<DeadLetterExchange?>(nil)
    private let link: ClusterLink
    private let failures: AsyncStream<ReplicaFailure>
    private let logger: Logger
    private let metrics: ClusterMetrics
    private let copies: CopyServer
    private let facts: NodeBeat.Facts

    init(
        _ link: ClusterLink, uploadsMark: [UInt8], _ configuration: Configuration, _ storage: Storage,
        metrics: any MetricsFactory, _ logger: Logger
    ) {
        let facts = NodeBeat.Facts(
            version: Version.number, settingsDigest: configuration.clusterDigest, keysDigest: configuration.keysDigest,
            uploadsMark: uploadsMark, address: configuration.cluster.address ?? "")
        let (failures, failure) = AsyncStream.makeStream(of: ReplicaFailure.self)
        self.link = link
        self.failures = failures
        self.logger = logger
        let clusterMetrics = ClusterMetrics(metrics)
        self.metrics = clusterMetrics
        self.facts = facts
        let policy = TrimPolicy(keep: Int64(configuration.cluster.keepHours) * 3_600_000)
        let node = ClusterNode(
            link.node, of: link.cluster, journal: storage.log, store: MeasuredLogStore(link.store, metrics),
            bus: link.bus, facts: facts, trimming: policy,
            failed: {
                logger.critical("the node leaves the cluster", metadata: ["error": "\($0)"])
                failure.yield($0)
            }, refused: { clusterMetrics.record(refused: $0) },
            queue: DispatchQueue(label: "belfry.cluster", target: link.queue))
        self.node = node
        let reporter = CopyReporter(logger, metrics)
        copies = CopyServer(
            configuration.dataFolder + "/journal", of: link.node, link.bus, hold: { node.hold(after: $0) },
            report: { reporter.report($0) })
    }

    var log: any EventLog<Outcome> { node.log }
    var port: any ClusterPort { node }

    func start(
        _ chat: ChatServices, _ webhooks: WebhookDispatcher,
        isClear: @escaping @Sendable (_ isCurrent: Bool) -> Bool, began: @escaping @Sendable (_ isWriter: Bool) -> Void
    ) {
        self.isClear.withLock { $0 = isClear }
        let (node, logger, metrics) = (node, logger, metrics)
        let exchange = DeadLetterExchange(link.node, link.bus, webhooks)
        self.exchange.withLock { $0 = exchange }
        webhooks.setRemoteReplay { [weak exchange] ids, webhook, done in
            guard let exchange else { return done(nil) }
            exchange.replay(ids, of: webhook, done)
        }
        exchange.start()
        node.start(chat, clock: WallClock.milliseconds) { term in
            let isWriter = term.writer == node.id
            metrics.record(term, isWriter: isWriter)
            logger.notice(
                "a term of the cluster began",
                metadata: ["term": "\(term.number)", "writer": "\(term.writer.name)"])
            webhooks.setSending(isWriter, in: term.number)
            exchange.begin(term)
            began(isWriter)
        }
        copies.start()
        repeatedly { [node, copies] in copies.heard(node.status.nodes.map(\.beat.node)) }
        repeatedly { exchange.tell() }
    }

    var isReady: Bool { isReady(node.status) }

    private func isReady(_ status: ReplicaStatus) -> Bool {
        let isClear = isClear.withLock(\.self)
        return isClear(status.isReady) && status.isReady
    }

    var statusJSON: [UInt8] {
        let status = node.status
        return status.json(of: node.id, in: link.cluster, isReady: isReady(status), facts)
    }

    func watch(_ isCutOff: @escaping @Sendable () -> Void) {
        let reporter = ClusterReporter(logger, metrics)
        let space = SpaceWatch(logger)
        repeatedly { [node] in space.check(node) }
        repeatedly { [node, weak self] in
            guard let self else { return }
            let status = node.status
            reporter.report(status, isReady: isReady(status))
            if status.isCutOff { isCutOff() }
        }
    }

    func handOver() async { await withCheckedContinuation { done in node.handOver { done.resume() } } }

    func settle(_ done: @escaping @Sendable () -> Void) { node.settle(done) }

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
        await failures.first { _ in true }.map { failure in
            ClusterFailure(description: "the node leaves the cluster: \(failure)", isTemporary: failure.isTemporary)
        }
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        copies.stop()
        node.stop()
        exchange.withLock(\.self)?.stop()
        link.close()
    }
}

struct ClusterLinkEntrance: ClusterEntrance {
    let link: ClusterLink
    let uploadsMark: [UInt8]

    func join(
        _ configuration: Configuration, _ storage: Storage, _ metrics: any MetricsFactory, _ logger: Logger
    ) -> any ClusterMembership {
        ClusterMember(link, uploadsMark: uploadsMark, configuration, storage, metrics: metrics, logger)
    }
}
#endif
