import ChatModel
import Gateway
import WireProtocol

/// The response to a command, in a form that can be sent again.
package enum StoredResponse: Sendable, Equatable {
    /// JSON.
    case result([UInt8])
    case rejected(Rejection)

    package init(_ answer: Answer, _ encoder: WireEncoder) {
        switch answer {
        case .success(let value): self = .result(encoder.encode(value))
        case .failure(let rejection): self = .rejected(rejection)
        }
    }

    /// Whether a repeated request should get this response; false for errors that a client should retry.
    package var isLasting: Bool {
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
