import Gateway
import WireProtocol

/// The answer to a command in the form in which it can be given again.
package enum KeptAnswer: Sendable, Equatable {
    /// JSON.
    case result([UInt8])
    case rejected(Rejection)

    package init(_ answer: Answer, _ encoder: WireEncoder) {
        switch answer {
        case .success(let value): self = .result(encoder.encode(value))
        case .failure(let rejection): self = .rejected(rejection)
        }
    }

    /// Whether it would be the same next time: not what a client is to try again.
    var isLasting: Bool {
        switch self {
        case .result: true
        case .rejected(let rejection): !rejection.code.isTemporary
        }
    }

    var byteCount: Int {
        switch self {
        case .result(let json): json.count
        case .rejected(let rejection): rejection.detail?.utf8.count ?? 0
        }
    }
}
