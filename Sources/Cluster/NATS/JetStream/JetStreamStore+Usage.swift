#if Cluster
import Replication

/// How full a log is, and how old its messages are.
extension JetStreamStore {
    package func usage(_ done: @escaping @Sendable (Result<LogUsage, LogStoreError>) -> Void) {
        ask("STREAM.INFO") { reply in
            done(
                reply.flatMap { reply in
                    guard let state = reply.state else { return .failure(.failed("a reply without a state")) }
                    // The first number of a new stream is 0.
                    let first = state.messages == 0 ? state.lastSeq &+ 1 : state.firstSeq
                    let limit = reply.config.flatMap { $0.maxBytes > 0 ? UInt64($0.maxBytes) : nil }
                    return .success(
                        LogUsage(
                            bounds: LogBounds(first: first, last: state.lastSeq), bytes: state.bytes ?? 0,
                            byteLimit: limit))
                })
        }
    }

    package func examine(
        _ number: UInt64, _ done: @escaping @Sendable (Result<DatedEntry?, LogStoreError>) -> Void
    ) {
        connection.request(get("{\"seq\":\(number)}"), milliseconds: Self.milliseconds) { reply in
            guard case .message(let message) = reply else {
                done(.failure(.unreachable))
                return false
            }
            guard message.sequence == number else {
                done(.success(nil))
                return false
            }
            let entry = LogEntry(number: number, message: message.bytes)
            let milliseconds = message.header("Nats-Time-Stamp").flatMap(StreamTime.milliseconds)
            done(.success(DatedEntry(entry: entry, milliseconds: milliseconds)))
            return false
        }
    }
}
#endif
