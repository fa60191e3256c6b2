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

    /// Looks at all guests immediately; for tests, and after the clock has been moved.
    package func lookAtGuestsNow() { post { while $0.lookAtGuests() {} } }

    private func look(after milliseconds: Int) {
        later(milliseconds) { [weak self] in
            guard let self else { return }
            isGuestLookScheduled = false
            // The next command does not pay for it.
            defer { _ = work.takeSpent() }
            guard lookAtGuests() else { return scheduleGuestLook() }
            isGuestLookScheduled = true
            // Run after the commands that are queued by then.
            look(after: 1)
        }
    }

    /// One turn: searches for guests who are due, or looks at some of those found before.
    ///
    /// - Returns: Whether another turn is due immediately.
    private func lookAtGuests() -> Bool {
        let context = context(.server)
        if guestsDue.isEmpty {
            let found = state.guestsDue(after: lastGuest, context)
            (guestsDue, lastGuest) = (found.due[...], found.last)
            return isGuestLookUnfinished
        }
        // Without space in the log nobody is removed; the next look retries.
        guard let reservation = log.reserve() else {
            (guestsDue, lastGuest) = ([], nil)
            return false
        }
        let (events, count) = state.departures(of: guestsDue, context)
        guestsDue = guestsDue.dropFirst(count)
        guard !events.isEmpty else {
            log.cancel(reservation)
            return isGuestLookUnfinished
        }
        let (records, effects) = fold(events, context)
        for case .guestRemoved(let user) in events {
            live.forget(user)
            guestOrigins.leave(user)
            revokedTokens.forget(user)
            metrics.guestsRemoved.increment()
        }
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return isGuestLookUnfinished
    }

    private var isGuestLookUnfinished: Bool { !guestsDue.isEmpty || lastGuest != nil }
}
