#if Cluster
import Cluster
import Logging
import Synchronization

/// Lets another node write while this one is short of space: a writer without space would refuse the changes of all nodes'
/// clients.
final class SpaceWatch: Sendable {
    /// The number of checks for which space must be short.
    private static let patience = 3
    /// The number of checks before another node is asked again.
    private static let interval = 20

    private let shortChecks = Mutex(0)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Call this twice a second.
    func check(_ node: ClusterNode) {
        let isShort = node.isWriter && node.log.isShort
        let count = shortChecks.withLock { count in
            count = isShort ? count + 1 : 0
            return count
        }
        guard count % Self.interval == Self.patience else { return }
        logger.warning("short of disk space: another node is asked to write")
        node.handOver {}
    }
}
#endif
