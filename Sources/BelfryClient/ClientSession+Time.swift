/// Timers.
extension ClientSession {
    mutating func tick(now: Int64) -> [Action] {
        if case .opening(let deadline) = phase, now >= deadline { retry(.lost("connecting took too long")) }
        for purpose in calls.removeExpired(now: now) { timeOut(purpose, now: now) }
        for call in waiting.removeExpired(now: now) { fail(call, .notConnected) }
        guard case .live(var live) = phase else { return drainActions() }
        if !isReadingPaused, let deadline = live.pingDeadline, now >= deadline {
            retry(.noPing)
            return drainActions()
        }
        if let due = live.refreshAt, now >= due {
            live.refreshAt = nil
            phase = .live(live)
            fetchToken()
        }
        if let due = live.subscribeAgainAt, now >= due {
            live.subscribeAgainAt = nil
            phase = .live(live)
            subscribeAgain(now: now)
        }
        return drainActions()
    }

    /// The time at which `tick` next has work to do.
    var nextDeadline: Int64? {
        var next = calls.nextDeadline
        func consider(_ deadline: Int64?) {
            guard let deadline else { return }
            next = min(next ?? deadline, deadline)
        }
        consider(waiting.nextDeadline)
        switch phase {
        case .opening(let deadline): consider(deadline)
        case .live(let live):
            if !isReadingPaused { consider(live.pingDeadline) }
            consider(live.refreshAt)
            consider(live.subscribeAgainAt)
        case .idle, .waiting, .fetchingToken, .connecting: break
        }
        return next
    }

    /// Reading was paused (the consumer is too slow) or resumed. While it is paused, no ping can be missed.
    mutating func readingChanged(isPaused: Bool, now: Int64) {
        isReadingPaused = isPaused
        if !isPaused { pinged(now: now) }
    }

    mutating func pinged(now: Int64) {
        guard case .live(var live) = phase, let interval = live.pingMilliseconds else { return }
        live.pingDeadline = now + interval + settings.pingDelayMilliseconds
        phase = .live(live)
        // Only now, so that nodes that accept a connection and soon close it cannot keep a client from backing off.
        rotation.beginRound()
    }
}
