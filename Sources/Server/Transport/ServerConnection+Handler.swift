import Gateway

/// Calls of the handler, each followed by `settle`.
extension ServerConnection {
    /// Encodes and writes an answer, or postpones it if this turn has encoded enough.
    func answered(_ command: UInt32, _ answer: Answer) {
        guard isOpen else { return }
        guard late == nil, server.hasBytesLeft, !server.isWaiting(fairnessKey) else {
            return appendLate(.answer(command: command, answer))
        }
        handler?.answered(command, answer)
        settle()
    }

    func with<Handler: ConnectionHandler>(_ type: Handler.Type, _ body: (Handler) -> Void) -> Bool {
        guard isOpen, let handler = handler as? Handler else { return false }
        body(handler)
        settle()
        return true
    }

    /// Lets the handler continue after a pause.
    func resume() {
        guard isOpen else { return }
        handler?.resume()
        settle()
    }
}
