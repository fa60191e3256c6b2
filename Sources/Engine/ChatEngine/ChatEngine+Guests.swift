import ChatDomain
import Journal

/// Periodically removes guests who have left for good. No timer runs while there are no guests.
extension ChatEngine {
    /// The configured guest settings; no command changes them.
    package var guestSettings: GuestSettings { configured.guests }

    func scheduleGuestScan() {
        guard !isGuestScanScheduled, state.guestCount > 0 else { return }
        isGuestScanScheduled = true
        scanGuests(after: guestSettings.scanMilliseconds)
    }

    /// Scans all guests immediately; for tests, and after the clock has been moved.
    package func scanGuestsNow() { post { while $0.scanGuests() {} } }

    private func scanGuests(after milliseconds: Int) {
        later(milliseconds) { engine in
            engine.isGuestScanScheduled = false
            // The next command does not pay for it.
            defer { _ = engine.work.drain() }
            guard engine.scanGuests() else { return engine.scheduleGuestScan() }
            engine.isGuestScanScheduled = true
            // Run after the commands that are queued by then.
            engine.scanGuests(after: 1)
        }
    }

    /// One turn: searches for guests who are due, or checks some of those found before.
    ///
    /// - Returns: Whether another turn is due immediately.
    private func scanGuests() -> Bool {
        let context = context(.server)
        if guestsDue.isEmpty {
            let found = state.guestsDue(after: lastGuest, context)
            (guestsDue, lastGuest) = (found.due[...], found.last)
            return isGuestScanUnfinished
        }
        // Without space in the log nobody is removed; the next scan retries.
        guard let reservation = log.reserve() else {
            (guestsDue, lastGuest) = ([], nil)
            return false
        }
        let (events, count) = state.departures(of: guestsDue, context)
        guestsDue = guestsDue.dropFirst(count)
        guard !events.isEmpty else {
            log.cancel(reservation)
            return isGuestScanUnfinished
        }
        let (records, effects) = fold(events, context)
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return isGuestScanUnfinished
    }

    private var isGuestScanUnfinished: Bool { !guestsDue.isEmpty || lastGuest != nil }
}
