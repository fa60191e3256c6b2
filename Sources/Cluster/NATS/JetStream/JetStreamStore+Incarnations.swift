#if Cluster
import Replication

extension JetStreamStore {
    /// Checks that the server will do, and finds the incarnations of a cluster's log, in ascending order.
    ///
    /// - Parameter milliseconds: How long to wait for each answer.
    package static func incarnations(
        of cluster: String, on connection: NATSConnection, milliseconds: Int = openMilliseconds,
        _ done: @escaping @Sendable (Result<[UInt64], NATSError>) -> Void
    ) {
        @Sendable func list(_ found: [UInt64], _ offset: Int) {
            let body = Array("{\"offset\":\(offset)}".utf8)
            connection.ask("STREAM.NAMES", body, milliseconds: milliseconds) { reply in
                switch reply {
                case .failure(let error): done(.failure(error))
                case .success(let reply):
                    if let failure = reply.error { return done(.failure(failure.error)) }
                    let streams = reply.streams?.all ?? []
                    let all = found + streams.compactMap { StreamSettings.incarnation(of: $0, cluster: cluster) }
                    let next = offset + streams.count
                    guard !streams.isEmpty, next < reply.total ?? 0 else { return done(.success(all.sorted())) }
                    list(all, next)
                }
            }
        }
        connection.ask("INFO", [], milliseconds: milliseconds) { reply in
            switch reply {
            case .failure(let error): done(.failure(error))
            case .success(let reply):
                if let error = checkAccount(reply) { return done(.failure(error)) }
                list([], 0)
            }
        }
    }
}
#endif
