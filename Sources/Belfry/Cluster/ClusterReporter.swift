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
    private let recordVersion: Gauge
    private let firstMessage: Gauge
    private let logBytes: Gauge
    private let trimmed: Counter
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
        recordVersion = Gauge(.clusterRecordVersion, factory)
        firstMessage = Gauge(.clusterFirstMessage, factory)
        logBytes = Gauge(.clusterLogBytes, factory)
        trimmed = Counter(.clusterMessagesTrimmed, factory)
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

    /// - Parameter dropped: How many messages were dropped from the log since the last call.
    func record(_ status: ReplicaStatus, isReady: Bool, dropped: UInt64) {
        firstMessage.record(status.role == .writer ? status.window.first : 0)
        logBytes.record(status.role == .writer ? status.window.bytes : 0)
        trimmed.increment(by: dropped)
        ready.record(isReady ? 1 : 0)
        lag.record(Double(status.lag) / 1_000)
        nodes.record(1 + status.live.count)
        problems.record(status.problems.count)
        recordVersion.record(status.recordVersion)
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
        /// The newest record version in the log; `nil` before the node was ready.
        var recordVersion: UInt32?
        /// How many messages this process had dropped from the log.
        var dropped: UInt64 = 0
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
    ///
    /// - Parameter isReady: Whether clients should use the node: it is as far as the others, and has erased whom they have.
    func report(_ status: ReplicaStatus, isReady: Bool) {
        // A difference of clocks is never the same twice.
        let problems = status.problems.map(\.subject)
        let version = status.isReady ? status.recordVersion : nil
        let (isNews, fresh, isRaised, old) = state.withLock { state in
            defer {
                state = State(
                    isReady: isReady, problems: problems, recordVersion: version ?? state.recordVersion,
                    dropped: status.window.dropped, ignoredBeats: status.ignoredBeats)
            }
            return (
                state.isReady != isReady, status.problems.filter { !state.problems.contains($0.subject) },
                status.recordVersion > state.recordVersion ?? .max, state
            )
        }
        if isRaised {
            logger.notice(
                "the cluster's records have a newer version from now on",
                metadata: ["record_version": "\(status.recordVersion)"])
        }
        metrics.record(status, isReady: isReady, dropped: status.window.dropped - old.dropped)
        metrics.record(ignoredBeats: status.ignoredBeats - old.ignoredBeats)
        if isNews {
            let metadata: Logger.Metadata = [
                "lag_ms": "\(status.lag)", "log_silent_ms": "\(status.storeSilence)",
                "bus_silent_ms": "\(status.busSilence)",
            ]
            if isReady {
                logger.notice("the node is ready", metadata: metadata)
            } else {
                // No node is ready when it starts.
                logger.log(level: old.isReady == nil ? .info : .warning, "the node is not ready", metadata: metadata)
            }
        }
        for problem in fresh { logger.error("the cluster's nodes differ", metadata: ["problem": "\(problem)"]) }
    }
}

extension Roster.Problem {
    /// What the problem is about, without figures that change all the time.
    fileprivate var subject: String {
        if case .clockOff(let node, _) = self { "clockOff \(node)" } else { "\(self)" }
    }
}

extension ReplicaStatus {
    /// The greatest difference between this node's clock and that of another live node, in milliseconds.
    fileprivate var skew: UInt64 { live.map(\.clockDifference.magnitude).max() ?? 0 }
}
#endif
