import ChatDomain
import Journal

/// Records when users were last online (`US7`): once a minute while someone is connected or has left since the last
/// record, and on orderly shutdown. A crash loses at most one minute.
extension ChatEngine {
    static let sightingMilliseconds = 60_000

    /// Records everything now; for orderly shutdown, and for tests.
    package func recordSightings() {
        post { while $0.recordNextSightings() {} }
    }

    func scheduleSightings() {
        guard !isSightingScheduled, live.presence.hasSightings || live.presence.connectedCount > 0 else { return }
        isSightingScheduled = true
        recordSightings(after: Self.sightingMilliseconds)
    }

    private func recordSightings(after milliseconds: Int) {
        later(milliseconds) { engine in
            engine.isSightingScheduled = false
            guard engine.recordNextSightings() else { return engine.scheduleSightings() }
            engine.isSightingScheduled = true
            // Run after the commands that are queued by then.
            engine.recordSightings(after: 1)
        }
    }

    /// - Returns: Whether another pass is due immediately.
    private func recordNextSightings() -> Bool {
        // Without space in the log the sightings wait for the next pass.
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
