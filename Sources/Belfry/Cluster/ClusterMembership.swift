import ChatEngine
import CoreMetrics
import Journal
import Logging
import Transport
import Webhooks

/// A node can no longer take part in its cluster. A new process can.
public struct ClusterFailure: Error, CustomStringConvertible {
    /// The reason, in one line.
    public let description: String
}

/// A server's part in a cluster. Only builds with the trait `Cluster` have it.
protocol ClusterMembership: Sendable {
    /// The log that all nodes share, for the engine.
    var log: any EventLog<Outcome> { get }
    /// The other nodes, for the engine.
    var port: any ClusterPort { get }

    /// Begins to follow the log. Webhooks are sent by the writer alone.
    ///
    /// - Parameter began: Called when a term begins, of this node or another.
    func start(
        _ chat: ChatServices, _ webhooks: WebhookDispatcher, began: @escaping @Sendable (_ isWriter: Bool) -> Void)

    /// Whether clients should use this node.
    var isReady: Bool { get }

    /// What the node knows of itself and the others, as a JSON object for operators.
    var statusJSON: [UInt8] { get }

    /// Calls back whenever the node has lost contact for so long that it must close its sessions, until `stop`.
    func watch(_ isCutOff: @escaping @Sendable () -> Void)

    /// Lets another node write, before this one stops.
    func handOver() async

    /// - Returns: `nil` if the task is cancelled first.
    func failure() async -> ClusterFailure?

    /// Leaves the cluster. Nothing that waits is stored afterwards.
    func stop()
}

extension Server {
    /// Connects to the cluster that the configuration names.
    ///
    /// - Returns: `nil` for a single server.
    static func joinCluster(
        _ configuration: Configuration, _ storage: Storage, _ metrics: any MetricsFactory, _ logger: Logger
    ) async throws(ConfigurationError) -> (any ClusterMembership)? {
        try configuration.checkCluster()
        guard configuration.cluster.isEnabled else { return nil }
        #if Cluster
        return try await ClusterMember(configuration, storage, metrics: metrics, logger)
        #else
        throw .needsClusterTrait
        #endif
    }
}
