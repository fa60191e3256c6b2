#if Cluster

/// Which stream holds the log of a cluster, and how to create it.
package struct StreamSettings: Sendable {
    let cluster: String
    package let incarnation: UInt64
    let replicas: Int
    let byteLimit: Int64

    /// - Parameters:
    ///   - incarnation: Counts up when the log is created again.
    ///   - replicas: 1, 3 or 5. One is not fault tolerant.
    ///   - byteLimit: The size at which the stream refuses messages; -1 for none. It applies when the stream is
    ///     created; an operator may change it later.
    /// - Throws: `NATSError.invalidName`.
    package init(cluster: String, incarnation: UInt64, replicas: Int, byteLimit: Int64 = -1) throws(NATSError) {
        precondition([1, 3, 5].contains(replicas))
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

    package var stream: String { Self.streamPrefix(cluster) + String(incarnation) }

    static func streamPrefix(_ cluster: String) -> String { "belfry-\(cluster)-" }

    /// The incarnation of a cluster's log from the name of its stream; nil if the stream has another name.
    static func incarnation(of stream: String, cluster: String) -> UInt64? {
        let prefix = streamPrefix(cluster)
        guard stream.hasPrefix(prefix), let number = UInt64(stream.dropFirst(prefix.count)), number < 1 << 62 else {
            return nil
        }
        return prefix + String(number) == stream ? number : nil
    }
    var subject: String { "belfry.\(cluster).\(incarnation).log" }
    /// Where JetStream publishes each message that it has stored.
    var liveSubject: String { "belfry.\(cluster).\(incarnation).live" }
}
#endif
