#if Cluster
import FoundationEssentials

/// A reply of JetStream's API, in JSON with names in snake case. The server bounds the size of every message.
struct JetStreamReply: Decodable {
    struct Failure: Decodable {
        /// As in HTTP.
        let code: Int
        let errCode: Int?
        let description: String?

        var error: NATSError { .refused(code: errCode ?? code, reason: description ?? "") }
    }

    struct State: Decodable {
        let messages: UInt64
        let firstSeq: UInt64
        let lastSeq: UInt64
        let bytes: UInt64?
    }

    struct API: Decodable {
        let level: Int?
    }

    struct Names: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            all = (try? decoder.singleValueContainer().decode([String].self)) ?? []
        }
    }

    /// Values of `errCode`.
    enum Code {
        static let notEnabledForAccount = 10_039
        static let noStream = 10_059
        static let wrongLastSequence = 10_071
        static let notEnabled = 10_076
        static let storeFailed = 10_077
        static let duplicateInProcess = 10_158
        static let wrongLastSequenceUnspecified = 10_164
    }

    let error: Failure?
    /// Of a stored message.
    let seq: UInt64?
    /// Of a stream.
    let config: StreamConfiguration?
    let state: State?
    let cluster: StreamReport.Group?
    /// Of an account.
    let api: API?
    /// The names of some streams. An account's reply has their number under the same name.
    let streams: Names?
    /// The number of all of them.
    let total: Int?

    init?(_ bytes: [UInt8]) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let reply = try? decoder.decode(JetStreamReply.self, from: Data(bytes)) else { return nil }
        self = reply
    }
}
#endif
