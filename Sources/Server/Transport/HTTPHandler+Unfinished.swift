import API
import ChatModel
import EventLoops
import HTTPTypes

/// Requests that are begun and not finished, which are charged to whoever sends them.
extension HTTPHandler {
    var holder: HeldBytes.Holder? {
        guard connection.entrance != .admin else { return nil }
        // A proxy's connection carries the requests of many.
        if !connection.isNameless {
            if isServerKey { return nil }
            if let user { return .user(user) }
        }
        return .address(AddressBlock.Pair(clientAddress).own)
    }

    /// Once it is complete, a request is answered, whatever it takes.
    func heldTooMuch(_ verdict: HeldBytes.Verdict) {
        guard case .reading = state, connection.isOpen else { return }
        server.services.metrics.refuse(.unfinishedBytes)
        var answer: HTTPAnswer
        if verdict == .overShare {
            answer = .rejected(Rejection(.tooManyRequests, "unfinished requests", retryAfterMilliseconds: 1_000))
        } else {
            answer = .text(.serviceUnavailable, "too many unfinished requests\n")
            answer.response.headerFields[.retryAfter] = "1"
        }
        endRoute(answer)
    }
}
