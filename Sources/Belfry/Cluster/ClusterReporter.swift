#if Cluster
import Cluster
import CoreMetrics
import Logging
import MetricTable
import Metrics
import Replication
import Synchronization

struct ClusterMetrics: Sendable {
    private let writer: Gauge
    private let term: Gauge
    private let ready: Gauge
    private let lag: Gauge
    private let nodes: Gauge
    private let problems: Gauge
    private let skew: Gauge
    private let ignoredBeats: Counter
    private let refused: [ClusterBound: Counter]

    init(_ factory: any MetricsFactory) {
        writer = Gauge(.clusterWriter, factory)
        term = Gauge(.clusterTerm, factory)
        ready = Gauge(.clusterReady, factory)
        lag = Gauge(.clusterLagSeconds, factory)
        nodes = Gauge(.clusterNodes, factory)
        problems = Gauge(.clusterProblems, factory)
        skew = Gauge(.clusterClockSkewSeconds, factory)
        ignoredBeats = Counter(.clusterRefused, factory, dimensions: [("bound", "beats")])
        let counters = ClusterBound.allCases.map { bound in
            (bound, Counter(.clusterRefused, factory, dimensions: [("bound", bound.rawValue)]))
        }
        refused = Dictionary(uniqueKeysWithValues: counters)
        writer.record(0)
        ready.record(0)
    }

    func record(_ new: LogTerm, isWriter: Bool) {
        writer.record(isWriter ? 1 : 0)
        term.record(new.number)
    }

    func record(_ status: ReplicaStatus) {
        ready.record(status.isReady ? 1 : 0)
        lag.record(Double(status.lag) / 1_000)
        nodes.record(1 + status.live.count)
        problems.record(status.problems.count)
        skew.record(Double(status.skew) / 1_000)
    }

    /// - Parameter count: How many beats were ignored since the last call.
    func record(ignoredBeats count: Int) { ignoredBeats.increment(by: count) }

    func record(refused bound: ClusterBound) { refused[bound]?.increment() }
}

/// Reports a node's view of its cluster in logs and metrics.
final class ClusterReporter: Sendable {
    private struct State {
        var isReady: Bool?
        var problems: [String] = []
        var ignoredBeats = 0
    }

    private let logger: Logger
    private let metrics: ClusterMetrics
    private let state = Mutex(State())

    init(_ logger: Logger, _ metrics: ClusterMetrics) {
        self.logger = logger
        self.metrics = metrics
    }

    /// Logs what is new since the last call.
    func report(_ status: ReplicaStatus) {
        metrics.record(status)
        let problems = status.problems.map { "\($0)" }
        let (isNews, fresh, ignored) = state.withLock { state in
            defer { state = State(isReady: status.isReady, problems: problems, ignoredBeats: status.ignoredBeats) }
            return (
                state.isReady != status.isReady, problems.filter { !state.problems.contains($0) },
                status.ignoredBeats - state.ignoredBeats
            )
        }
        metrics.record(ignoredBeats: ignored)
        if isNews {
            let metadata: Logger.Metadata = [
                "lag_ms": "\(status.lag)", "log_silent_ms": "\(status.storeSilence)",
                "bus_silent_ms": "\(status.busSilence)",
            ]
            if status.isReady {
                logger.notice("the node is ready", metadata: metadata)
            } else {
                logger.warning("the node is not ready", metadata: metadata)
            }
        }
        for problem in fresh { logger.error("the cluster's nodes differ", metadata: ["problem": "\(problem)"]) }
    }
}

extension ReplicaStatus {
    /// The greatest difference between this node's clock and that of another live node, in milliseconds.
    fileprivate var skew: UInt64 { live.map(\.clockDifference.magnitude).max() ?? 0 }
}
#endif
