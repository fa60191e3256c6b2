#if Cluster
import CoreMetrics
import Dispatch
import Gateway
import Logging
import Replication

/// A node's connection to its cluster: the shared log, and the bus to the other nodes.
final class ClusterLink: Sendable {
    let store: any LogStore
    let bus: any Bus
    /// Where what arrives from the log and the bus is received.
    let queue: DispatchQueue
    /// This process.
    let node: NodeID
    /// What the log's first message names: the cluster and the incarnation of its log.
    let cluster: String
    private let disconnect: @Sendable () -> Void

    init(
        store: any LogStore, bus: any Bus, queue: DispatchQueue, node: NodeID, cluster: String,
        disconnect: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.bus = bus
        self.queue = queue
        self.node = node
        self.cluster = cluster
        self.disconnect = disconnect
    }

    /// A server whose start fails need not close it.
    deinit { disconnect() }

    /// Ends the connection, and all requests with it.
    func close() { disconnect() }

    /// Connects to NATS and opens the newest incarnation of the cluster's log, which must exist.
    ///
    /// - Throws: With exit code 69 if NATS is not available in time, otherwise 78.
    static func open(
        _ configuration: Configuration, logger: Logger, metrics: any MetricsFactory
    ) async throws(ConfigurationError) -> ClusterLink {
        let access = try await ClusterAccess(configuration.cluster, logger: logger, metrics: metrics)
        do throws(ConfigurationError) {
            guard let incarnation = try await access.incarnations().last else { throw access.missingLog }
            let store = try await access.openLog(incarnation, creating: false)
            let report = try await access.report(of: store)
            guard report.messages > 0 else { throw access.emptyLog(store) }
            if report.replicas == 1 {
                logger.notice("the cluster's log is not fault tolerant: it has one replica")
            }
            return ClusterLink(
                store: store, bus: try access.bus(incarnation), queue: access.queue, node: access.node,
                cluster: store.settings.stream, disconnect: { access.close() })
        } catch {
            access.close()
            throw error
        }
    }
}
#endif
