import Gateway

/// The work that a connection leaves to later turns of its loop.
extension ServerConnection {
    func appendLate(_ item: LateWrites.Item) {
        var writes = late ?? LateWrites()
        // A second reference would force a copy of everything that waits.
        late = nil
        writes.append(item)
        late = writes
        if writes.byteCount > server.limits.outbox.bytes || countUnread() != .fits {
            server.closeAtEndOfTurn(self, .slow)
        }
        postpone()
    }

    private func dropEmptyLate() {
        if late?.isEmpty ?? false { late = nil }
    }

    /// Lets the handler continue with its input in a later turn, so that other connections get their share.
    func postponeInput() {
        hasLateInput = true
        postpone()
    }

    private func postpone() {
        guard !isPostponed, isOpen else { return }
        isPostponed = true
        server.postpone(self, of: fairnessKey)
    }

    /// The key under which the connection takes turns.
    var fairnessKey: LoopServer.FairnessKey { handler?.holder.map { .holder($0) } ?? .connection(id) }

    /// Sends the next late answer and the frames after it, and lets the handler continue with one message.
    func resumePostponed() {
        isPostponed = false
        guard isOpen else { return }
        if let (command, answer) = late?.nextAnswer() {
            dropEmptyLate()
            // Frames that the handler writes after the answer, such as a notice that a room was left, must precede the
            // rest.
            overtakesLate = true
            handler?.answered(command, answer)
        }
        while isOpen, let (bytes, isAnswer) = late?.nextFrames() {
            dropEmptyLate()
            overtakesLate = true
            write(bytes, isAnswer: isAnswer)
        }
        overtakesLate = false
        countUnread()
        if hasLateInput, server.hasBytesLeft {
            hasLateInput = false
            handler?.resumePostponed()
        }
        if late != nil || hasLateInput { postpone() }
        settle()
    }
}
