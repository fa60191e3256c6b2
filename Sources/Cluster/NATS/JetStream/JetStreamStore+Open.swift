#if Cluster
import Replication

extension JetStreamStore {
    /// How long to wait for JetStream, which may have to place a stream.
    package static let openMilliseconds = 10_000
    /// That of server 2.12.
    private static let minimumLevel = 2

    /// Finds the stream of a log, and checks that the server and the stream will do.
    ///
    /// - Parameters:
    ///   - creating: Whether to create the stream if it does not exist.
    ///   - milliseconds: How long to wait for each answer.
    package static func open(
        _ settings: StreamSettings, on connection: NATSConnection, creating: Bool,
        milliseconds: Int = openMilliseconds, _ done: @escaping @Sendable (Result<JetStreamStore, NATSError>) -> Void
    ) {
        let configuration = StreamConfiguration(settings)
        @Sendable func finish(_ reply: JetStreamReply) {
            done(check(reply, configuration).map { JetStreamStore(connection, settings) })
        }
        @Sendable func ask(_ method: String, _ body: [UInt8] = [], _ next: @escaping @Sendable (JetStreamReply) -> Void)
        {
            connection.ask(method, body, milliseconds: milliseconds) { reply in
                switch reply {
                case .success(let reply): next(reply)
                case .failure(let error): done(.failure(error))
                }
            }
        }
        ask("INFO") { reply in
            if let error = checkAccount(reply) { return done(.failure(error)) }
            ask("STREAM.INFO.\(settings.stream)") { reply in
                guard reply.error?.errCode == JetStreamReply.Code.noStream else { return finish(reply) }
                guard creating else { return done(.failure(.noStream(settings.stream))) }
                ask("STREAM.CREATE.\(settings.stream)", configuration.encoded, finish)
            }
        }
    }

    static func checkAccount(_ reply: JetStreamReply) -> NATSError? {
        if let failure = reply.error {
            let absent = [JetStreamReply.Code.notEnabled, JetStreamReply.Code.notEnabledForAccount]
            let isAbsent = failure.errCode.map(absent.contains) ?? false
            return isAbsent ? .noJetStream(reason: failure.description ?? "") : failure.error
        }
        let level = reply.api?.level ?? 0
        return level < minimumLevel ? .tooOld(apiLevel: level) : nil
    }

    private static func check(_ reply: JetStreamReply, _ wanted: StreamConfiguration) -> Result<Void, NATSError> {
        if let failure = reply.error { return .failure(failure.error) }
        guard let existing = reply.config else { return .failure(.silence) }
        guard let setting = wanted.difference(in: existing) else { return .success(()) }
        return .failure(.differentStream(wanted.name, setting: setting))
    }
}

extension NATSConnection {
    /// Calls a method of JetStream's API. A reply with an error is a reply.
    func ask(
        _ method: String, _ body: [UInt8], milliseconds: Int,
        _ done: @escaping @Sendable (Result<JetStreamReply, NATSError>) -> Void
    ) {
        let publication = NATSPublication(subject: "$JS.API.\(method)", bytes: body)
        request(publication, milliseconds: milliseconds) { reply in
            switch reply {
            case .message(let message): done(JetStreamReply(message.bytes).map { .success($0) } ?? .failure(.silence))
            case .nobody: done(.failure(.noJetStream(reason: "nobody serves its API")))
            case .silence, .disconnected, .full, .tooLarge: done(.failure(.silence))
            }
            return false
        }
    }
}
#endif
