import ChatDomain
import Journal

/// Periodically removes guests who have left for good. No timer runs while there are no guests.
extension ChatEngine {
    /// The configured guest settings; no command changes them.
    package var guestSettings: GuestSettings { configured.guests }

    func scheduleGuestLook() {
        guard !isGuestLookScheduled, state.guestCount > 0 else { return }
        isGuestLookScheduled = true
        look(after: guestSettings.lookMilliseconds)
    }

    /// Runs the same pass immediately; for tests, and after the clock has been moved.
    package func lookAtGuestsNow() { post { _ = $0.lookAtGuests() } }

    private func look(after milliseconds: Int) {
        later(milliseconds) { [weak self] in
            guard let self else { return }
            isGuestLookScheduled = false
            guard lookAtGuests() else { return scheduleGuestLook() }
            isGuestLookScheduled = true
            // Run after the commands that are queued by then.
            look(after: 1)
        }
    }

    /// - Returns: Whether another pass is due immediately.
    private func lookAtGuests() -> Bool {
        // Without space in the log nobody is removed; the next pass retries.
        guard state.guestCount > 0, let reservation = log.reserve() else { return false }
        let context = context(.server)
        let (events, isMore) = state.departures(of: context)
        guard !events.isEmpty else {
            log.cancel(reservation)
            return false
        }
        let (records, effects) = fold(events, context)
        for case .guestRemoved(let user) in events {
            live.forget(user)
            guestOrigins.leave(user)
            revokedTokens.forget(user)
            metrics.guestsRemoved.increment()
        }
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return isMore
    }
}
