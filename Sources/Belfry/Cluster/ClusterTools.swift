import CoreMetrics
import Logging

/// The operations of `belfry cluster`.
package enum ClusterTools {
    /// A log that a command has created.
    package struct CreatedLog: Sendable {
        /// The name of its stream.
        package let stream: String
        /// The number of the last frame before the log, which the data folder ends with.
        package let lastFrame: UInt64
        package let replicas: Int
        /// The stream that it replaces, which is sealed now; nil if there was none.
        package var replaced: String?
    }

    /// Makes this node's data folder that of a single server, without a look at the log, which may be lost or out of reach.
    ///
    /// - Throws: When a server uses the folder.
    package static func forget(_ configuration: Configuration) throws(ConfigurationError) {
        let folder = try DataFolder(configuration.dataFolder)
        try ClusterFolder(folder.path).leave()
    }

    private static func requireServers(_ configuration: Configuration) throws(ConfigurationError) {
        guard configuration.cluster.isEnabled else {
            throw ConfigurationError("cluster.url is not set: name the NATS servers with it or with --cluster-url")
        }
        try configuration.checkCluster()
    }
}

#if Cluster
extension ClusterTools {
    /// Creates a cluster's log, which continues the chat in this node's data folder. No server may use the folder. If
    /// the first message is missing because an earlier attempt failed, appends it.
    ///
    /// - Throws: When the cluster has a log.
    package static func create(_ configuration: Configuration) async throws(ConfigurationError) -> CreatedLog {
        try await withCluster(configuration, holdingData: true) { access, lastFrame throws(ConfigurationError) in
            let incarnation = try await access.incarnations().last
            if let incarnation {
                let report = try await access.report(of: try access.uncheckedLog(incarnation))
                guard report.last == 0 else {
                    throw ConfigurationError(
                        "the cluster \"\(configuration.cluster.name)\" already has a log with \(report.messages) "
                            + "messages: start the nodes, or replace it with belfry cluster recreate")
                }
            }
            let created = try await access.begin(incarnation ?? 1, after: lastFrame)
            try ClusterFolder(configuration.dataFolder).join(created.stream)
            return created
        }
    }

    /// Replaces a log that is lost or unusable by a new one, which continues the chat in this node's data folder. Run it
    /// with the longest journal of all nodes, while none of them runs.
    ///
    /// - Parameter discardingNewer: Whether frames in the old log that the journal lacks are given up.
    /// - Throws: When a node runs, and when the old log has frames that the journal lacks.
    package static func recreate(
        _ configuration: Configuration, discardingNewer: Bool
    ) async throws(ConfigurationError) -> CreatedLog {
        try await withCluster(configuration, holdingData: true) { access, lastFrame throws(ConfigurationError) in
            try await access.requireNoNode(lastFrame)
            let (old, next) = try await access.incarnationsToReplace()
            if let old { try await access.end(old, at: lastFrame, discardingNewer: discardingNewer) }
            var created = try await access.begin(next, after: lastFrame)
            created.replaced = try old.map { (old) throws(ConfigurationError) in
                try access.uncheckedLog(old).settings.stream
            }
            try ClusterFolder(configuration.dataFolder).join(created.stream)
            return created
        }
    }

    /// Ends the log, so that no node can begin from it any more, and makes this node's data folder that of a single server. Run
    /// it with the longest journal of all nodes, while none of them runs.
    ///
    /// - Parameter discardingNewer: Whether frames in the log that the journal lacks are given up.
    /// - Returns: The name of the stream that is sealed now; nil if there is none.
    /// - Throws: When a node runs, and when the log has frames that the journal lacks.
    package static func leave(
        _ configuration: Configuration, discardingNewer: Bool
    ) async throws(ConfigurationError) -> String? {
        try await withCluster(configuration, holdingData: true) { access, lastFrame throws(ConfigurationError) in
            try await access.requireNoNode(lastFrame)
            let last = try await access.incarnations().last
            if let last { try await access.end(last, at: lastFrame, discardingNewer: discardingNewer) }
            try ClusterFolder(configuration.dataFolder).leave()
            return try last.map { (last) throws(ConfigurationError) in try access.uncheckedLog(last).settings.stream }
        }
    }

    /// Asks NATS and the nodes about the cluster, without opening the data folder.
    package static func status(_ configuration: Configuration) async throws(ConfigurationError) -> ClusterStatus {
        try await withCluster(configuration, holdingData: false) { access, _ throws(ConfigurationError) in
            guard let incarnation = try await access.incarnations().last else { throw access.missingLog }
            let store = try access.uncheckedLog(incarnation)
            let report = try await access.report(of: store)
            let last = await access.lastMessage(of: store, at: report.last)
            return ClusterStatus(
                cluster: configuration.cluster.name, stream: store.settings.stream, report, last,
                nodes: try await access.listen())
        }
    }

    /// - Parameter holdingData: Whether to open the data folder as a server does.
    /// - Returns: The result of `body`, which gets the number of the last frame in the folder; 0 without it.
    private static func withCluster<Value>(
        _ configuration: Configuration, holdingData: Bool,
        _ body: (ClusterAccess, UInt64) async throws(ConfigurationError) -> Value
    ) async throws(ConfigurationError) -> Value {
        try requireServers(configuration)
        let logger = Logger(label: "belfry", factory: { _ in SwiftLogNoOpLogHandler() })
        let metrics = NOOPMetricsHandler.instance
        let folder = holdingData ? try DataFolder(configuration.dataFolder) : nil
        defer { withExtendedLifetime(folder) {} }
        // As a start does, this repairs the journal, so that no frame is counted that a power failure could take away.
        let storage = try folder.map { (folder) throws(ConfigurationError) in
            try Storage(folder, limits: configuration.limits, metrics: metrics, logger: logger)
        }
        let result: Result<Value, ConfigurationError>
        do throws(ConfigurationError) {
            let access = try await ClusterAccess(configuration.cluster, logger: logger, metrics: metrics)
            defer { access.close() }
            result = .success(try await body(access, storage?.log.report.last ?? 0))
        } catch {
            result = .failure(error)
        }
        if let log = storage?.log {
            await withCheckedContinuation { done in log.close { done.resume() } }
        }
        return try result.get()
    }
}
#else
extension ClusterTools {
    package static func create(_ configuration: Configuration) async throws(ConfigurationError) -> CreatedLog {
        try requireServers(configuration)
        throw .needsClusterTrait
    }

    package static func recreate(
        _ configuration: Configuration, discardingNewer: Bool
    ) async throws(ConfigurationError) -> CreatedLog {
        try requireServers(configuration)
        throw .needsClusterTrait
    }

    package static func leave(
        _ configuration: Configuration, discardingNewer: Bool
    ) async throws(ConfigurationError) -> String? {
        try requireServers(configuration)
        throw .needsClusterTrait
    }

    package static func status(_ configuration: Configuration) async throws(ConfigurationError) -> ClusterStatus {
        try requireServers(configuration)
        throw .needsClusterTrait
    }
}
#endif
