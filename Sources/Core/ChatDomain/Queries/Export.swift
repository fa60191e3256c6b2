import ChatModel

/// What an export contains.
package enum ExportScope: Sendable {
    /// The whole app.
    case everything
    /// What the chat knows of a user and what the user wrote, without messages and reactions by others.
    case user(UserID)
    case channel(ChannelID)
}

extension ChatState {
    /// Emits an export line by line (`PR2`), in an order that is the same in every process: users before the channels
    /// they are in, and within a channel members before messages, oldest first, each followed by its reactions. The
    /// last line (`ExportLine.end`) is left to the caller, who counts.
    ///
    /// - Parameter scope: A user or channel that does not exist has no line at all.
    package func export<Failure: Error>(
        _ scope: ExportScope, _ body: (ExportLine) throws(Failure) -> Void
    ) throws(Failure) {
        switch scope {
        case .everything: break
        case .user(let id): guard users[id] != nil else { return }
        case .channel(let id): guard channels[id] != nil else { return }
        }
        var walk = ExportWalk(scope, keysAtOnce: .max, channelsAtOnce: .max)
        let work = WorkMeter()
        while true {
            // Nobody waits for this walk.
            work.beginSlice()
            switch walk.next(in: self, work) {
            case .line(let line): try body(line)
            case .unfinished: continue
            case .over: return
            }
        }
    }
}
