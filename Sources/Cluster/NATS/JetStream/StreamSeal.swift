#if Cluster
import FoundationEssentials
import Replication

extension JetStreamStore {
    /// Seals the stream: it refuses all messages from now on, so that no node of its incarnation writes any more. It
    /// cannot be undone.
    package func seal(_ done: @escaping @Sendable (Result<Void, NATSError>) -> Void) {
        let stream = settings.stream
        let update: @Sendable ([UInt8]) -> Void = { [connection] body in
            connection.ask("STREAM.UPDATE.\(stream)", body, milliseconds: Self.openMilliseconds) { reply in
                done(reply.flatMap { reply in reply.error.map { .failure($0.error) } ?? .success(()) })
            }
        }
        let question = NATSPublication(subject: "$JS.API.STREAM.INFO.\(stream)", bytes: [])
        connection.request(question, milliseconds: Self.openMilliseconds) { reply in
            guard case .message(let message) = reply else {
                done(.failure(.silence))
                return false
            }
            if let failure = JetStreamReply(message.bytes)?.error {
                done(.failure(failure.error))
            } else if let body = Self.sealed(message.bytes) {
                update(body)
            } else {
                done(.failure(.silence))
            }
            return false
        }
    }

    /// Returns the configuration in a stream's information, sealed and otherwise unchanged: JetStream would reset what is
    /// missing.
    static func sealed(_ information: [UInt8]) -> [UInt8]? {
        guard case .object(let fields)? = try? JSONDecoder().decode(AnyJSON.self, from: Data(information)),
            case .object(var configuration)? = fields["config"]
        else { return nil }
        configuration["sealed"] = .flag(true)
        return (try? JSONEncoder().encode(AnyJSON.object(configuration))).map { [UInt8]($0) }
    }
}

/// JSON with fields that a newer server may have added.
private enum AnyJSON: Codable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([AnyJSON])
    case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([AnyJSON].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: AnyJSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
#endif
