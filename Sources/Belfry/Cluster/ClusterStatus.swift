/// What `belfry cluster status` shows.
package struct ClusterStatus: Sendable, Encodable {
    /// A NATS server that stores the log.
    package struct Replica: Sendable, Encodable {
        package let name: String
        package let isLeader: Bool
        /// Whether it has everything that the leader has.
        package let isCurrent: Bool
        package let isOffline: Bool
        /// The number of operations that it lacks.
        package let lag: UInt64
    }

    /// The log's last message.
    package struct Last: Sendable, Encodable {
        package let term: UInt64
        /// The name of the node that appended it.
        package let writer: String
        /// The number of the last frame.
        package let frame: UInt64
    }

    package struct Node: Sendable, Encodable {
        package let name: String
        /// `follower`, `candidate` or `writer`.
        package let role: String
        package let term: UInt64
        /// The last message that the node has read.
        package let lastMessage: UInt64
        /// The last frame that it has applied.
        package let appliedFrame: UInt64
        /// The last frame that it has synced to its own disk, or holds for a node that copies from it.
        package let syncedFrame: UInt64
        package let version: String
        /// Where clients reach it; empty if it does not say.
        package let address: String
    }

    package let cluster: String
    /// The name of the log's stream.
    package let stream: String
    package let messages: UInt64
    package let bytes: UInt64
    /// The size at which changes are refused; nil for no limit.
    package let byteLimit: Int64?
    package let firstMessage: UInt64
    package let lastMessage: UInt64
    /// How many servers shall store the log.
    package let configuredReplicas: Int
    /// Empty for a NATS server that belongs to no cluster of servers.
    package let replicas: [Replica]
    /// Whether the log refuses all messages because a newer one has replaced it.
    package let isSealed: Bool
    /// Nil if the log has no messages or cannot be read.
    package let last: Last?
    /// The nodes heard within two seconds.
    package let nodes: [Node]
}
