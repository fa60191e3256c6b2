#if Cluster

/// What JetStream tells about the stream of a log.
package struct StreamReport: Sendable {
    /// The servers that store the stream. Without a cluster of servers there is only the leader.
    package struct Group: Decodable, Sendable {
        /// Nil while there is none.
        package let leader: String?
        package let replicas: [Peer]?
    }

    /// A server other than the leader.
    package struct Peer: Decodable, Sendable {
        package let name: String
        /// Whether it has everything that the leader has.
        package let current: Bool
        package let offline: Bool?
        /// The number of operations that it lacks.
        package let lag: UInt64?
    }

    package let messages: UInt64
    package let bytes: UInt64
    /// The numbers of the oldest and the newest message.
    package let first: UInt64
    package let last: UInt64
    /// The size at which it refuses messages; nil for no limit.
    package let byteLimit: Int64?
    package let replicas: Int
    package let isSealed: Bool
    package let group: Group?

    init?(_ reply: JetStreamReply) {
        guard let state = reply.state, let configuration = reply.config else { return nil }
        messages = state.messages
        bytes = state.bytes ?? 0
        first = state.messages == 0 ? state.lastSeq &+ 1 : state.firstSeq
        last = state.lastSeq
        byteLimit = configuration.maxBytes > 0 ? configuration.maxBytes : nil
        replicas = configuration.numReplicas
        isSealed = configuration.sealed == true
        group = reply.cluster
    }
}

extension JetStreamStore {
    package func report(_ done: @escaping @Sendable (Result<StreamReport, NATSError>) -> Void) {
        connection.ask("STREAM.INFO.\(settings.stream)", [], milliseconds: Self.openMilliseconds) { reply in
            done(
                reply.flatMap { reply in
                    if let failure = reply.error { return .failure(failure.error) }
                    return StreamReport(reply).map { .success($0) } ?? .failure(.silence)
                })
        }
    }
}
#endif
