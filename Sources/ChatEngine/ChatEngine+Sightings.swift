import ChatDomain
import Journal

/// Writes down who was last there when (`US7`): once a minute while someone is connected or has left since, and at an
/// orderly end. A crash costs at most that minute.
extension ChatEngine {
    static let sightingMilliseconds = 60_000

    /// Writes everything down now; for the orderly end, and for tests.
    package func recordSightings() {
        post { while $0.recordNextSightings() {} }
    }

    func scheduleSightings() {
        guard !isSightingScheduled, live.presence.hasSightings || live.presence.connectedCount > 0 else { return }
        isSightingScheduled = true
        takeSightings(after: Self.sightingMilliseconds)
    }

    private func takeSightings(after milliseconds: Int) {
        later(milliseconds) { [weak self] in
            guard let self else { return }
            isSightingScheduled = false
            guard recordNextSightings() else { return scheduleSightings() }
            isSightingScheduled = true
            // After the commands that wait by then.
            takeSightings(after: 1)
        }
    }

    /// - Returns: Whether there is more to do at once.
    private func recordNextSightings() -> Bool {
        // Without space in the log they wait for the next time.
        guard let reservation = log.reserve() else { return false }
        let event = live.nextSightings(in: state)
        guard let event else {
            log.cancel(reservation)
            return false
        }
        let (records, effects) = fold([event], context(.server))
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return live.presence.hasSightings
    }
}
