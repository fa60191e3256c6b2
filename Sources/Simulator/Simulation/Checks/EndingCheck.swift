import ChatDomain
import ChatModel

/// Checks that messages end by themselves only once, and only when their time is over, also after a restart (`MT9`).
struct EndingCheck: Check {
    /// When each message that is not deleted ends; `nil` if it stays until somebody deletes it, who may be the app.
    private var ends: [MessageID: Int64?] = [:]
    private var senders: [MessageID: UserID] = [:]
    /// Users who are being deleted with their messages.
    private var deleted: Set<UserID> = []

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _):
            (ends, senders, deleted) = ([:], [:], [])
            for frame in frames { try apply(frame) }
        case .appended(let frame): try apply(frame)
        default: break
        }
    }

    private mutating func apply(_ frame: History.Frame) throws(Broken) {
        for record in frame.records {
            switch record.event {
            case .userDeleted(let erasure):
                if let user = erasure.id, erasure.erased.deletesMessages { deleted.insert(user) }
            case .userForgotten(let user, _): deleted.remove(user)
            case .importAdded(let added):
                for case .messageSent(let sent) in added.records.map(\.event) {
                    (ends[sent.id], senders[sent.id]) = (.some(sent.expiresAt), sent.sender)
                }
            case .messageSent(let sent): (ends[sent.id], senders[sent.id]) = (.some(sent.expiresAt), sent.sender)
            case .messageDeleted(_, let message, _):
                guard let end = ends.removeValue(forKey: message) else {
                    throw Broken(.endings, "\(message) was deleted twice")
                }
                if let sender = senders[message], deleted.contains(sender) { break }
                if record.by == nil, let end, end > record.at {
                    throw Broken(.endings, "\(message) was to end at \(end), but did at \(record.at)")
                }
            default: break
            }
        }
    }
}
