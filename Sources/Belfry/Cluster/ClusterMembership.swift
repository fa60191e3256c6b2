import ChatEngine
import CoreMetrics
import Journal
import Logging
import Transport
import Webhooks

/// A node can no longer take part in its cluster.
public struct ClusterFailure: Error, CustomStringConvertible {
    /// The reason, in one line.
    public let description: String
    /// Whether a new process on the same data can take part. Otherwise the data contradicts the other nodes'.
    public let isTemporary: Bool
}

/// A server's part in a cluster. Only builds with the trait `Cluster` have it.
protocol ClusterMembership: Sendable {
    /// The log that all nodes share, for the engine.
    var log: any EventLog<Outcome> { get }
    /// The other nodes, for the engine.
    var port: any ClusterPort { get }

    /// Begins to follow the log. Webhooks are sent by the writer alone.
    ///
    /// - Parameters:
    ///   - isClear: Whether clients may use this node, which is as far as the others or not (`ErasureKeeper.isClear`).
    ///   - began: Called when a term begins, of this node or another.
    func start(
        _ chat: ChatServices, _ webhooks: WebhookDispatcher,
        isClear: @escaping @Sendable (_ isCurrent: Bool) -> Bool, began: @escaping @Sendable (_ isWriter: Bool) -> Void)

    /// Whether clients should use this node.
    var isReady: Bool { get }

    /// What the node knows of itself and the others, as a JSON object for operators.
    var statusJSON: [UInt8] { get }

    /// Calls back whenever the node has lost contact for so long that it must close its sessions, until `stop`.
    func watch(_ isCutOff: @escaping @Sendable () -> Void)

    /// Lets another node write, before this one stops.
    func handOver() async

    /// Waits until what this node has decided is in the log, unless it is the writer no longer.
    func settle(_ done: @escaping @Sendable () -> Void)

    /// - Returns: `nil` if the task is cancelled first.
    func failure() async -> ClusterFailure?

    /// Leaves the cluster. Nothing that waits is stored afterwards.
    func stop()
}

/// A connection to a cluster that a server is about to join.
protocol ClusterEntrance: Sendable {
    /// - Parameter storage: The node's mirror of the log, which is not too old to follow it.
    func join(
        _ configuration: Configuration, _ storage: Storage, _ metrics: any MetricsFactory, _ logger: Logger
    ) -> any ClusterMembership
}

extension Server {
    /// Connects to the cluster that the configuration names, and copies the chat from another node if the log no longer has
    /// what this node lacks. The data folder's journal must not be open.
    ///
    /// - Returns: `nil` for a single server.
    /// - Throws: For a single server on the folder of a node, among others.
    static func enterCluster(
        _ configuration: Configuration, _ folder: DataFolder, _ metrics: any MetricsFactory, _ logger: Logger
    ) async throws(ConfigurationError) -> (any ClusterEntrance)? {
        try configuration.checkCluster()
        let ownFolder = ClusterFolder(folder.path)
        guard configuration.cluster.isEnabled else {
            try ownFolder.requireNoCluster()
            return nil
        }
        #if Cluster
        let mark = try await ownFolder.uploadsMark()
        let link = try await ClusterLink.open(configuration, logger: logger, metrics: metrics)
        do throws(ConfigurationError) {
            try await ClusterCopy(link, configuration.cluster, folder, metrics, logger).run()
            try ownFolder.join(link.cluster)
        } catch {
            link.close()
            throw error
        }
        return ClusterLinkEntrance(link: link, uploadsMark: mark)
        #else
        throw .needsClusterTrait
        #endif
    }
}
