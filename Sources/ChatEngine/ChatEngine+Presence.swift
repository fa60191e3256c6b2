import ChatDomain
import ChatModel
import Dispatch
import Gateway

/// Who is there (`US6`): every attachment that the engine begins ends in one `detach`.
extension ChatEngine {
    /// A connection of the user that was attached, or was to be, is gone. Never refused: the count would be wrong for
    /// ever. There is one call per attachment.
    package func detach(_ user: UserID) {
        // In the user's lane: it has to come after the attachment that it ends.
        let item = BatchQueue.Item.work(.user(user), .user(user), bytes: nil) {
            self.leave(user)
            return BatchQueue.Turn(cost: self.work.takeSpent() + WorkCost.command)
        }
        intake.post(item)
    }

    /// - Returns: What others hear of it.
    func arrive(_ user: UserID) -> [Effect] {
        defer {
            metrics.usersOnline.record(live.presence.connectedCount)
            scheduleSightings()
        }
        return live.connect(user, in: state, at: now(), settings)
    }

    private func leave(_ user: UserID) {
        let effects = live.disconnect(user, in: state, at: now(), settings)
        metrics.usersOnline.record(live.presence.connectedCount)
        if !effects.isEmpty { log.mark(Outcome(effects: effects, answer: nil)) }
        scheduleDepartures()
        scheduleSightings()
    }

    /// Tells of those whose grace is over.
    func depart() {
        let effects = live.depart(in: state, at: now(), settings)
        if !effects.isEmpty { log.mark(Outcome(effects: effects, answer: nil)) }
    }

    /// Behind the commands that wait by then: each pass is short, and a long row of departures takes several.
    private func scheduleDepartures() {
        guard !isDepartureScheduled, let next = live.presence.nextDeparture else { return }
        isDepartureScheduled = true
        let delay = Int(clamping: max(0, next - now()))
        later(delay) { [weak self] in
            guard let self else { return }
            isDepartureScheduled = false
            depart()
            scheduleDepartures()
        }
    }
}
