#if Cluster
import Replication

extension AppendOutcome {
    /// The meaning of a reply to an append. When in doubt it is unknown, because a repeated append does no harm.
    init(_ reply: JetStreamReply?) {
        guard let reply, let failure = reply.error else {
            self = reply?.seq.map { .stored($0) } ?? .unknown
            return
        }
        let reason = failure.description ?? ""
        self =
            switch (failure.code, failure.errCode) {
            case (_, JetStreamReply.Code.wrongLastSequence), (_, JetStreamReply.Code.wrongLastSequenceUnspecified):
                .conflict
            case (_, JetStreamReply.Code.duplicateInProcess): .unknown
            // Servers decide this before they replicate the message; a disk that fails has the same code.
            case (_, JetStreamReply.Code.storeFailed):
                reason.hasPrefix("maximum ") || reason == "message too large" ? .refused(reason) : .unknown
            // Too many requests: later, the server may accept it.
            case (429, _): .unknown
            case (400..<500, _): .refused(reason)
            default: .unknown
            }
    }
}
#endif
