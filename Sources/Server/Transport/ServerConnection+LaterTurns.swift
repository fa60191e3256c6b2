import Gateway

/// What a connection leaves to later turns of its loop.
extension ServerConnection {
    func appendLate(_ item: LateWrites.Item) {
        var writes = late ?? LateWrites()
        // A second reference would copy everything that waits.
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

    /// Lets the handler continue with its input in a later turn, so that other connections get theirs.
    func postponeInput() {
        hasLateInput = true
        postpone()
    }

    private func postpone() {
        guard !isPostponed, isOpen else { return }
        isPostponed = true
        server.postpone(self, of: roundKey)
    }

    /// Whose share of the turns the connection uses.
    var roundKey: LoopServer.RoundKey { handler?.holder.map { .holder($0) } ?? .connection(id) }

    /// Sends the next late answer and what follows it, and lets the handler continue with one message.
    func resumePostponed() {
        isPostponed = false
        guard isOpen else { return }
        if let (command, answer) = late?.nextAnswer() {
            dropEmptyLate()
            // What the handler writes after the answer, such as that a room was left, must not overtake the rest.
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
