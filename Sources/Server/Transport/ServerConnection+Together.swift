/// One system call for several writes.
extension ServerConnection {
    /// Writes everything that `body` writes to this connection with one system call, unless it is large: an event, and
    /// the answer to the command that caused it.
    func writeTogether(_ body: () -> Void) {
        guard late == nil, isOutboxEmpty, !isCollecting else { return body() }
        isCollecting = true
        body()
        stopCollecting()
    }

    func stopCollecting() {
        guard isCollecting else { return }
        isCollecting = false
        server.withCollected { frames, unrequested in
            if isOpen, !frames.isEmpty { transmit(frames, unrequested: unrequested) }
        }
    }
}
