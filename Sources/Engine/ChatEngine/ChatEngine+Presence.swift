import ChatDomain
import ChatModel
import Gateway

/// Tracks who is online (`US6`). Each attachment that the engine begins ends in exactly one `detach`.
extension ChatEngine {
    /// Records that one of the user's connections, attached or still attaching, has closed. Never refused: the
    /// connection count would stay wrong forever. Call it once per attachment.
    ///
    /// - Parameter loop: The connection's.
    package func detach(_ user: UserID, on loop: Int) {
        // Queued in the user's lane, so that it runs after the attachment that it ends.
        intake.post(departure(of: user), wakes: !ports[loop].deferWake())
    }

    private func departure(of user: UserID) -> BatchQueue.Item {
        .work(.user(user), .user(user), bytes: nil, isBrief: true) {
            if self.cluster?.connections.postpone(user) != true { self.leave(user) }
            return BatchQueue.Turn(cost: self.work.drain() + WorkCost.command)
        }
    }

    /// An attachment that had to wait is over, or in its last turns: connections that closed meanwhile leave after it.
    func endAttachment(of user: UserID) {
        let count = cluster?.connections.endAttachment(user) ?? 0
        for _ in 0..<count { intake.post(departure(of: user)) }
    }

    /// - Returns: The effects that announce the arrival to others.
    func arrive(_ user: UserID) -> [Effect] {
        defer {
            recordConnection(of: user)
            metrics.usersOnline.record(live.presence.connectedCount)
            scheduleSightings()
        }
        return live.connect(user, in: state, at: now(), settings)
    }

    private func leave(_ user: UserID) {
        recordDisconnection(of: user)
        recordPresenceChanges(live.disconnect(user, in: state, at: now(), settings))
    }

    func recordPresenceChanges(_ effects: [Effect]) {
        metrics.usersOnline.record(live.presence.connectedCount)
        if !effects.isEmpty { log.mark(Outcome(effects: effects, answer: nil)) }
        scheduleDepartures()
        scheduleSightings()
    }

    /// Announces the departure of users whose grace period has expired.
    func depart() {
        let effects = live.depart(in: state, at: now(), settings)
        if !effects.isEmpty { log.mark(Outcome(effects: effects, answer: nil)) }
    }

    /// Each pass is short and runs after the commands already queued; many departures take several passes.
    private func scheduleDepartures() {
        guard !isDepartureScheduled, let next = live.presence.nextDeparture else { return }
        isDepartureScheduled = true
        let delay = Int(clamping: max(0, next - now()))
        later(delay) { engine in
            engine.isDepartureScheduled = false
            engine.depart()
            engine.scheduleDepartures()
        }
    }
}
