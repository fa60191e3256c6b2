import Gateway

/// What a connection leaves to later turns of its loop.
extension ServerConnection {
    func appendLate(_ item: LateWrites.Item) {
        var writes = late ?? LateWrites()
        // A second reference would copy everything that waits.
        late = nil
        writes.append(item)
        late = writes
        if writes.byteCount > server.limits.outbox.bytes || countUnread() != .fits { server.condemn(self, .slow) }
        postpone()
    }

    private func forgetEmptyLate() {
        if late?.isEmpty ?? false { late = nil }
    }

    /// Lets the handler go on with its input in a later turn, so that other connections get theirs.
    func postponeInput() {
        hasLateInput = true
        postpone()
    }

    private func postpone() {
        guard !isPostponed, isOpen else { return }
        isPostponed = true
        server.postpone(self, of: roundKey)
    }

    /// Whose share of the turns it has.
    var roundKey: LoopServer.RoundKey { handler?.holder.map { .holder($0) } ?? .connection(id) }

    /// Sends the next late answer and what follows it, and lets the handler go on with one message.
    func goOn() {
        isPostponed = false
        guard isOpen else { return }
        if let (command, answer) = late?.nextAnswer() {
            forgetEmptyLate()
            // What the handler writes after the answer, such as that a room was left, must not overtake the rest.
            overtakesLate = true
            handler?.answered(command, answer)
        }
        while isOpen, let (bytes, isAnswer) = late?.nextFrames() {
            forgetEmptyLate()
            overtakesLate = true
            write(bytes, isAnswer: isAnswer)
        }
        overtakesLate = false
        countUnread()
        if hasLateInput, server.hasBytesLeft {
            hasLateInput = false
            handler?.goOn()
        }
        if late != nil || hasLateInput { postpone() }
        settle()
    }
}
