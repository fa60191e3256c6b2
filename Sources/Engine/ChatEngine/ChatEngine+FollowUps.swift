import ChatDomain
import Journal

/// Carries out work that commands left behind because it takes longer than one turn (`ChatState.followUp`). No timer
/// runs while there is none.
extension ChatEngine {
    private static let retryMilliseconds = 100

    func scheduleFollowUps() {
        guard !isFollowUpScheduled, state.hasFollowUps else { return }
        isFollowUpScheduled = true
        // Run after the commands that are queued by then.
        followUp(after: 1)
    }

    private func followUp(after milliseconds: Int) {
        later(milliseconds) { engine in
            engine.isFollowUpScheduled = false
            if engine.followUp() { return engine.scheduleFollowUps() }
            engine.isFollowUpScheduled = true
            engine.followUp(after: Self.retryMilliseconds)
        }
    }

    /// - Returns: False without space in the log, or while clients receive too slowly: a later turn retries.
    private func followUp() -> Bool {
        // The work was charged to the user who caused it, so it is not charged to the next command.
        defer { _ = work.drain() }
        guard !isBacklogFull(factor: 1) else { return false }
        let events = state.followUp()
        guard !events.isEmpty else { return true }
        guard let reservation = log.reserve() else { return false }
        let (records, effects) = fold(events, context(.server))
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }
}
