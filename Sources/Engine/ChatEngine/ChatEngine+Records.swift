import ChatDomain
import ChatModel
import Gateway
import Journal

/// Turns events into records, applies them to the state and appends them to the log.
extension ChatEngine {
    /// Creates the caller on first use (`US1`).
    func admit(_ caller: Caller) -> (records: [Record], effects: [Effect]) {
        guard let user = caller.user, !state.knows(user) else { return ([], []) }
        let context = context(caller)
        return fold(state.creationEvents(for: user, context), context)
    }

    /// - Returns: False if the log has no space for the new user.
    func admitIfNew(_ caller: Caller) -> Bool {
        guard let user = caller.user, !state.knows(user) else { return true }
        guard let reservation = log.reserve(isForServer: payer == .server) else { return false }
        let (records, effects) = admit(caller)
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }

    func fold(_ events: [Event], _ context: Context) -> (records: [Record], effects: [Effect]) {
        fold(state.records(of: events, in: context))
    }

    func fold(_ records: [Record]) -> (records: [Record], effects: [Effect]) {
        var effects: [Effect] = []
        for record in records {
            let new = findingPushes(in: apply(record))
            work.charge(WorkCost.event)
            charge(new)
            effects.append(reusing: new)
        }
        return (records, effects)
    }

    /// Applies a record to the state, and to everything that this node derives from it, whichever node decided it.
    ///
    /// - Returns: Its effects.
    func apply(_ record: Record) -> [Effect] {
        recordSearchChanges(of: record)
        state.evolve(record)
        let effects = state.effects(of: record, settings)
        deadlines.add(record, in: state, settings)
        switch record.event {
        case .settingsChanged: settings = state.settings(over: configured)
        case .hookSet(let target): hook.replace(target)
        case .tokensRevoked(let user, let second):
            metrics.revocations.record(revokedTokens.record(user, before: second))
        case .userDeleted(let deleted):
            if let user = deleted.id { revokedTokens.record(user, before: deleted.erased.before) }
            revokedTokens.erase(deleted.erased)
        case .userForgotten(let user, _): forget(user)
        case .guestRemoved(let user):
            forget(user)
            metrics.guestsRemoved.increment()
        default: break
        }
        return effects
    }

    /// Removes what this node remembers of a user who no longer exists.
    private func forget(_ user: UserID) {
        live.remove(user)
        guestOrigins.remove(user)
        revokedTokens.remove(user)
    }

    func append(_ records: [Record], _ outcome: Outcome, in reservation: consuming Reservation) {
        sequence += 1
        var outcome = outcome
        outcome.frame = sequence
        outcome.at = records.last?.at ?? 0
        swap(&outcome.searchChanges, &searchChanges)
        outcome.freshID = ids.last
        log.append(records, expecting: sequence, note: outcome, in: reservation)
        metrics.users.record(state.userCount)
        metrics.channels.record(state.channelCount)
        metrics.guests.record(state.guestCount)
        metrics.allowances.record(allowances.count)
        scheduleGuestScan()
        scheduleFileExpiry()
        scheduleFollowUps()
        scheduleDeadlines()
        scheduleErasures()
    }
}

extension Array {
    /// Appends elements; an empty array takes over their storage. Most commands have one record and few effects.
    mutating func append(reusing elements: [Element]) {
        if isEmpty { self = elements } else { self += elements }
    }
}
