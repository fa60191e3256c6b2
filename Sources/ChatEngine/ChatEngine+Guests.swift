import ChatDomain
import Journal

/// Looks now and then which guests are gone for good. There is no look while there are no guests.
extension ChatEngine {
    /// What the configuration says of guests; no command changes it.
    package var guestSettings: GuestSettings { configured.guests }

    func scheduleGuestLook() {
        guard !isGuestLookScheduled, state.guestCount > 0 else { return }
        isGuestLookScheduled = true
        look(after: guestSettings.lookMilliseconds)
    }

    /// The same look at once; for tests, and for whoever has moved the clock.
    package func lookAtGuestsNow() { post { _ = $0.lookAtGuests() } }

    private func look(after milliseconds: Int) {
        later(milliseconds) { [weak self] in
            guard let self else { return }
            isGuestLookScheduled = false
            guard lookAtGuests() else { return scheduleGuestLook() }
            isGuestLookScheduled = true
            // Behind the commands that wait by then.
            look(after: 1)
        }
    }

    /// - Returns: Whether there is more to do at once.
    private func lookAtGuests() -> Bool {
        // Without space in the log nobody is forgotten; there is another look.
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
