import ChatDomain
import Journal

/// Periodically forgets uploads that were never attached to a message. No timer runs while there are none.
extension ChatEngine {
    func scheduleFileLook() {
        guard !isFileLookScheduled, state.hasUnsentFiles else { return }
        isFileLookScheduled = true
        lookAtFiles(after: FieldLimits.fileLookMilliseconds)
    }

    /// Runs the same pass immediately; for tests, and after the clock has been moved.
    package func lookAtFilesNow() { post { _ = $0.lookAtFiles() } }

    private func lookAtFiles(after milliseconds: Int) {
        later(milliseconds) { [weak self] in
            guard let self else { return }
            isFileLookScheduled = false
            guard lookAtFiles() else { return scheduleFileLook() }
            isFileLookScheduled = true
            // Run after the commands that are queued by then.
            lookAtFiles(after: 1)
        }
    }

    /// - Returns: Whether another pass is due immediately.
    private func lookAtFiles() -> Bool {
        let context = context(.server)
        let expired = state.expiredFiles(at: context.now)
        // Without space in the log nothing is forgotten; the next pass retries.
        guard !expired.isEmpty, let reservation = log.reserve() else { return false }
        let (records, effects) = fold([.filesForgotten(expired)], context)
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }
}
