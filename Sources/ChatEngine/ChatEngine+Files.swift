import ChatDomain
import Journal

/// Looks now and then which uploads have waited too long for their message. There is no look while none waits.
extension ChatEngine {
    func scheduleFileLook() {
        guard !isFileLookScheduled, state.hasUnsentFiles else { return }
        isFileLookScheduled = true
        lookAtFiles(after: FieldLimits.fileLookMilliseconds)
    }

    /// The same look at once; for tests, and for whoever has moved the clock.
    package func lookAtFilesNow() { post { _ = $0.lookAtFiles() } }

    private func lookAtFiles(after milliseconds: Int) {
        later(milliseconds) { [weak self] in
            guard let self else { return }
            isFileLookScheduled = false
            guard lookAtFiles() else { return scheduleFileLook() }
            isFileLookScheduled = true
            // Behind the commands that wait by then.
            lookAtFiles(after: 1)
        }
    }

    /// - Returns: Whether there is more to do at once.
    private func lookAtFiles() -> Bool {
        let context = context(.server)
        let expired = state.expiredFiles(at: context.now)
        // Without space in the log nothing is forgotten; there is another look.
        guard !expired.isEmpty, let reservation = log.reserve() else { return false }
        let (records, effects) = fold([.filesForgotten(expired)], context)
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }
}
