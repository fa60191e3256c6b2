import ChatDomain

extension Record {
    /// Returns the record without what an older version of the format does not have. It has the same effects on the
    /// state, and is announced from the messages there.
    func reduced(to version: UInt32) -> Record {
        guard version < 5 else { return self }
        let reduced: Event
        switch event {
        case .messageSent(var sent) where sent.quote != nil:
            sent.quote = nil
            reduced = .messageSent(sent)
        case .messageUpdated(var updated) where updated.sentContent != nil:
            updated.sentContent = nil
            reduced = .messageUpdated(updated)
        case .messageDeleted(let channel, let message, .some): reduced = .messageDeleted(channel, message)
        default: return self
        }
        return Record(event: reduced, at: at, by: by, positions: positions)
    }
}
