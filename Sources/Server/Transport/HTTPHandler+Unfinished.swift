import API
import ChatModel
import EventLoops
import HTTPTypes

/// Charges unfinished requests to their sender.
extension HTTPHandler {
    var holder: HeldBytes.Holder? {
        guard connection.entrance != .admin else { return nil }
        // A proxy's connection carries requests from many clients.
        if !connection.awaitsClientAddress {
            if isServerKey { return nil }
            if let user { return .user(user) }
        }
        return .address(AddressBlock.Pair(clientAddress).own)
    }

    /// Refuse incomplete requests only; answer complete ones whatever they cost.
    func heldBytesExceeded(_ verdict: HeldBytes.Verdict) {
        guard state.isReceiving, connection.isOpen else { return }
        services.metrics.refuse(.unfinishedBytes)
        var answer: HTTPAnswer
        if verdict == .overShare {
            answer = .rejected(
                Rejection(.tooManyRequests, "bytes of unfinished requests", retryAfterMilliseconds: 1_000))
        } else {
            answer = .text(.serviceUnavailable, "too many unfinished requests\n")
            answer.response.headerFields[.retryAfter] = "1"
        }
        interrupt(answer)
    }
}
