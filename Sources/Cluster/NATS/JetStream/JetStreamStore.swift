#if Cluster
import Dispatch
import Replication

/// The log of a cluster in a JetStream stream. All callbacks run on the connection's queue.
package final class JetStreamStore: LogStore {
    /// How long to wait for JetStream.
    static let milliseconds = 2_000
    /// The same for an append. All others wait for it, and a repetition is recognized, so a lost message should cost little.
    private static let appendMilliseconds = 1_000
    /// Callers repeat an append whose outcome is unknown. A stream without a leader answers at once, so that they would
    /// spin.
    private static let unknownPauseMilliseconds = 50

    let connection: NATSConnection
    package let settings: StreamSettings

    /// A stream that an operator looks at. Nodes use `open`, which checks it.
    package convenience init(unchecked settings: StreamSettings, on connection: NATSConnection) {
        self.init(connection, settings)
    }

    init(_ connection: NATSConnection, _ settings: StreamSettings) {
        self.connection = connection
        self.settings = settings
    }

    package func append(
        _ message: [UInt8], expecting last: UInt64, id: String, _ done: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        let headers = [
            (name: "Nats-Expected-Stream", value: settings.stream), (name: "Nats-Msg-Id", value: id),
            (name: "Nats-Expected-Last-Sequence", value: String(last)),
        ]
        let publication = NATSPublication(subject: settings.subject, headers: headers, bytes: message)
        connection.request(publication, milliseconds: Self.appendMilliseconds) { [self] reply in
            let outcome: AppendOutcome =
                switch reply {
                case .message(let message): AppendOutcome(JetStreamReply(message.bytes))
                case .tooLarge: .refused("message too large")
                case .nobody, .silence, .disconnected, .full: .unknown
                }
            switch outcome {
            case .stored, .refused: done(outcome)
            case .conflict: verifyConflict(at: last &+ 1, id, done)
            case .unknown: doubt(done)
            }
            return false
        }
    }

    /// Finds out which message took the place. JetStream recognizes a repeated message, but with one replica only after it
    /// has checked the number.
    private func verifyConflict(at number: UInt64, _ id: String, _ done: @escaping @Sendable (AppendOutcome) -> Void) {
        connection.request(get("{\"seq\":\(number)}"), milliseconds: Self.milliseconds) { [self] reply in
            guard case .message(let message) = reply else {
                doubt(done)
                return false
            }
            if message.sequence == number {
                done(message.header("Nats-Msg-Id") == id ? .stored(number) : .conflict)
                return false
            }
            explain(number) { [self] reason in
                switch reason {
                case .success, .failure(.dropped): done(.conflict)
                case .failure: doubt(done)
                }
            }
            return false
        }
    }

    private func doubt(_ done: @escaping @Sendable (AppendOutcome) -> Void) {
        let pause = DispatchTimeInterval.milliseconds(Self.unknownPauseMilliseconds)
        connection.queue.asyncAfter(deadline: .now() + pause) { done(.unknown) }
    }

    package func bounds(_ done: @escaping @Sendable (Result<LogBounds, LogStoreError>) -> Void) {
        usage { done($0.map(\.bounds)) }
    }

    package func trim(before number: UInt64, _ done: @escaping @Sendable (Result<Void, LogStoreError>) -> Void) {
        bounds { [self] bounds in
            switch bounds {
            case .failure(let error): done(.failure(error))
            case .success(let bounds) where bounds.first >= number: done(.success(()))
            case .success(let bounds):
                // Beyond the last message, JetStream would skip numbers.
                ask("STREAM.PURGE", "{\"seq\":\(min(number, bounds.last &+ 1))}") { done($0.map { _ in }) }
            }
        }
    }

    package func follow(_ receive: @escaping @Sendable (LogEntry) -> Void) {
        _ = connection.subscribe(settings.liveSubject) { message in
            guard let number = message.sequence else { return }
            receive(LogEntry(number: number, message: message.bytes))
        }
    }

    package func read(
        from number: UInt64, bytes: Int, _ done: @escaping @Sendable (Result<[LogEntry], LogStoreError>) -> Void
    ) {
        let batch = ReadBatch(from: number)
        let request = get(batch.request(byteLimit: bytes))
        connection.request(request, milliseconds: Self.milliseconds) { [self] reply in
            guard batch.append(reply) else { return true }
            switch batch.result {
            case .entries(let entries): done(.success(entries))
            case .unreachable: done(.failure(.unreachable))
            case .nothing: explain(number, done)
            }
            return false
        }
    }

    /// Finds out why a replica did not have a message. Only the stream's leader knows for certain.
    private func explain(
        _ number: UInt64, _ done: @escaping @Sendable (Result<[LogEntry], LogStoreError>) -> Void
    ) {
        bounds { bounds in
            done(
                bounds.flatMap { bounds in
                    if number > bounds.last { return .success([]) }
                    return .failure(number < bounds.first ? .dropped(first: bounds.first) : .unreachable)
                })
        }
    }

    func get(_ request: String) -> NATSPublication {
        NATSPublication(subject: "$JS.API.DIRECT.GET.\(settings.stream)", bytes: Array(request.utf8))
    }

    func ask(
        _ method: String, _ body: String = "",
        _ done: @escaping @Sendable (Result<JetStreamReply, LogStoreError>) -> Void
    ) {
        connection.ask("\(method).\(settings.stream)", Array(body.utf8), milliseconds: Self.milliseconds) { reply in
            done(
                reply.mapError { _ in .unreachable }.flatMap { reply in
                    guard let failure = reply.error else { return .success(reply) }
                    return .failure(.failed(failure.description ?? "error \(failure.code)"))
                })
        }
    }
}
#endif
