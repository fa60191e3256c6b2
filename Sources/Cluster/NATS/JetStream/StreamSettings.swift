#if Cluster

/// Which stream holds the log of a cluster, and how to create it.
package struct StreamSettings: Sendable {
    let cluster: String
    let incarnation: UInt64
    let replicas: Int
    let byteLimit: Int64

    /// - Parameters:
    ///   - incarnation: Counts up when the log is created again.
    ///   - replicas: 1 or 3. One is not fault tolerant.
    ///   - byteLimit: The size at which the stream refuses messages; -1 for none. It applies when the stream is
    ///     created; an operator may change it later.
    /// - Throws: `NATSError.invalidName`.
    package init(cluster: String, incarnation: UInt64, replicas: Int, byteLimit: Int64 = -1) throws(NATSError) {
        precondition(replicas == 1 || replicas == 3)
        try Self.check(cluster)
        self.cluster = cluster
        self.incarnation = incarnation
        self.replicas = replicas
        self.byteLimit = byteLimit
    }

    /// The name becomes part of subjects.
    static func check(_ cluster: String) throws(NATSError) {
        let isValid = cluster.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isValid, (1...64).contains(cluster.utf8.count) else { throw .invalidName(cluster) }
    }

    package var stream: String { "belfry-\(cluster)-\(incarnation)" }
    var subject: String { "belfry.\(cluster).\(incarnation).log" }
    /// Where JetStream publishes each message that it has stored.
    var liveSubject: String { "belfry.\(cluster).\(incarnation).live" }
}
#endif
