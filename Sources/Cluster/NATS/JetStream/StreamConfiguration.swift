#if Cluster
import FoundationEssentials

/// The part of a stream's configuration that the log depends on.
struct StreamConfiguration: Codable {
    struct Republishing: Codable, Equatable {
        let src: String
        let dest: String
        var headersOnly: Bool?
    }

    static let clusterKey = "belfry_cluster"

    let name: String
    let subjects: [String]
    let retention: String
    let maxConsumers: Int
    let maxMsgs: Int64
    let maxMsgsPerSubject: Int64
    let maxBytes: Int64
    /// Nanoseconds; 0 for none.
    let maxAge: Int64
    var maxMsgSize: Int32?
    let discard: String
    let storage: String
    let numReplicas: Int
    /// Nanoseconds.
    let duplicateWindow: Int64
    let allowDirect: Bool
    let denyDelete: Bool
    let denyPurge: Bool
    let allowRollupHdrs: Bool
    var sealed: Bool?
    var noAck: Bool?
    let republish: Republishing?
    /// Names the cluster.
    let metadata: [String: String]?

    init(_ settings: StreamSettings) {
        name = settings.stream
        subjects = [settings.subject]
        retention = "limits"
        maxConsumers = -1
        maxMsgs = -1
        maxMsgsPerSubject = -1
        maxBytes = settings.byteLimit
        maxAge = 0
        // When full, the stream must refuse new messages rather than drop what a node has not read.
        discard = "new"
        storage = "file"
        numReplicas = settings.replicas
        duplicateWindow = 120_000_000_000
        allowDirect = true
        denyDelete = true
        denyPurge = false
        allowRollupHdrs = false
        republish = Republishing(src: settings.subject, dest: settings.liveSubject)
        metadata = [Self.clusterKey: settings.cluster]
    }

    /// Keys are in snake case.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // Nothing in it can fail to encode; JetStream refuses an empty request.
        return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
    }

    /// The first setting in which an existing stream differs from this; nil if it will do.
    func difference(in existing: StreamConfiguration) -> String? {
        let settings: [(name: String, isEqual: Bool)] = [
            ("metadata.\(Self.clusterKey)", existing.metadata?[Self.clusterKey] == metadata?[Self.clusterKey]),
            // Sealing changes others, too.
            ("sealed", existing.sealed != true),
            ("subjects", existing.subjects == subjects),
            ("retention", existing.retention == retention),
            ("max_msgs", existing.maxMsgs == maxMsgs),
            ("max_msgs_per_subject", existing.maxMsgsPerSubject == maxMsgsPerSubject),
            ("max_age", existing.maxAge == maxAge),
            ("max_msg_size", existing.maxMsgSize ?? -1 <= 0),
            ("discard", existing.discard == discard),
            ("storage", existing.storage == storage),
            ("num_replicas", existing.numReplicas == numReplicas),
            ("duplicate_window", existing.duplicateWindow == duplicateWindow),
            ("allow_direct", existing.allowDirect),
            ("deny_purge", !existing.denyPurge),
            ("allow_rollup_hdrs", !existing.allowRollupHdrs),
            ("no_ack", existing.noAck != true),
            ("republish.src", existing.republish?.src == republish?.src),
            ("republish.dest", existing.republish?.dest == republish?.dest),
            ("republish.headers_only", existing.republish?.headersOnly != true),
        ]
        return settings.first { !$0.isEqual }?.name
    }
}
#endif
