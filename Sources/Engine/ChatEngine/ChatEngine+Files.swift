import ChatDomain
import Journal

/// Periodically removes uploads that were never attached to a message. No timer runs while there are none.
extension ChatEngine {
    func scheduleFileExpiry() {
        guard !isFileExpiryScheduled, state.hasUnsentFiles else { return }
        isFileExpiryScheduled = true
        expireFiles(after: FieldLimits.fileScanMilliseconds)
    }

    /// Runs the same pass immediately; for tests, and after the clock has been moved.
    package func expireFilesNow() { post { _ = $0.expireFiles() } }

    private func expireFiles(after milliseconds: Int) {
        later(milliseconds) { engine in
            engine.isFileExpiryScheduled = false
            guard engine.expireFiles() else { return engine.scheduleFileExpiry() }
            engine.isFileExpiryScheduled = true
            // Run after the commands that are queued by then.
            engine.expireFiles(after: 1)
        }
    }

    /// - Returns: Whether another pass is due immediately.
    private func expireFiles() -> Bool {
        let context = context(.server)
        let expired = state.expiredFiles(at: context.now)
        // Without space in the log nothing is removed; the next pass retries.
        guard !expired.isEmpty, let reservation = log.reserve() else { return false }
        let (records, effects) = fold([.filesForgotten(expired)], context)
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }
}
