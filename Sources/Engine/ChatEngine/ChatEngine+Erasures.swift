import ChatDomain
import ChatModel
import Gateway
import Journal

/// Removes what names deleted users, in small turns (`PR1`). No timer runs while nobody is being deleted.
extension ChatEngine {
    private static let erasureRetryMilliseconds = 100
    /// Passes everyone who was deleted, as far as the chat knows, by alias those whose traces are still being replaced,
    /// and the last frame, which may not be durable yet. Calls back on the engine's queue.
    package func readErasedUsers(
        _ done: @escaping @Sendable (_ users: [ErasedUser], _ unfinished: [UserID: UserID], _ frame: UInt64) -> Void
    ) {
        post { done($0.state.erasedUsers, $0.state.unfinishedErasures, $0.sequence) }
    }

    /// Repeats the deletions that a chat restored from an older backup does not know. Replaces an earlier call that is not
    /// done.
    ///
    /// - Parameter done: Called once they, and those that were under way, are complete and durable.
    package func repeatErasures(_ known: [ErasedUser], _ done: @escaping @Sendable () -> Void) {
        post { engine in
            engine.overdueErasures = engine.state.missing(known)[...]
            engine.erasureWait = ErasureWait(for: engine.overdueErasures, in: engine.state, done)
            engine.erasuresMayBeOver()
            engine.scheduleErasures()
        }
    }

    func scheduleErasures() {
        guard !isErasureScheduled, state.isErasing || !overdueErasures.isEmpty else { return }
        isErasureScheduled = true
        // Run after the commands that are queued by then.
        erase(after: 1)
    }

    private func erase(after milliseconds: Int) {
        later(milliseconds) { engine in
            engine.isErasureScheduled = false
            // The next command does not pay for it.
            defer { _ = engine.work.drain() }
            // On a node that follows, the log may have ended them.
            engine.erasuresMayBeOver()
            guard engine.state.isErasing || !engine.overdueErasures.isEmpty else { return }
            if engine.erase() {
                engine.erasuresMayBeOver()
                return engine.scheduleErasures()
            }
            engine.isErasureScheduled = true
            engine.erase(after: Self.erasureRetryMilliseconds)
        }
    }

    /// - Returns: False without space in the log, while clients receive too slowly, and on a node that follows: a later
    ///   turn retries.
    private func erase() -> Bool {
        guard !isBacklogFull(factor: 1) else { return false }
        if relays {
            erasureScan = nil
            relayOverdueErasures()
            return false
        }
        guard let reservation = log.reserve() else {
            erasureScan = nil
            return false
        }
        let context = context(.server)
        guard let records = nextErasure(context) else {
            log.cancel(reservation)
            return false
        }
        guard !records.isEmpty else {
            log.cancel(reservation)
            return true
        }
        let (applied, effects) = fold(records)
        append(applied, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }

    /// - Returns: Empty if this turn found nothing to replace; `nil` if a node of the cluster cannot read the records, or if
    ///   messages have to be read from disk first.
    private func nextErasure(_ context: Context) -> [Record]? {
        if !overdueErasures.isEmpty {
            // Another node may have repeated them.
            let events = state.repeating(Array(overdueErasures.prefix(RepeatErasures.limit)))
            let records = state.records(of: events, in: context)
            guard log.canExpress(records) else { return nil }
            overdueErasures = overdueErasures.dropFirst(RepeatErasures.limit)
            return records
        }
        guard var scan = erasureScan ?? state.usersBeingErased.first.map({ ErasureScan(of: $0, in: state) }) else {
            return []
        }
        erasureScan = scan
        state.blocks.beginAttempt()
        let turn = scan.turn(in: state)
        state.needBodies(for: turn.events)
        let missing = state.blocks.endAttempt()
        guard missing.isEmpty else {
            loadBlocks(missing) {}
            return nil
        }
        erasureScan = turn.isOver ? nil : scan
        return state.records(of: turn.events, in: context)
    }

    /// Sends overdue deletions to the node that decides; those that the log has shown by now are not overdue.
    private func relayOverdueErasures() {
        while !overdueErasures.isEmpty, state.missing(Array(overdueErasures.prefix(RepeatErasures.limit))).isEmpty {
            overdueErasures = overdueErasures.dropFirst(RepeatErasures.limit)
        }
        guard !overdueErasures.isEmpty, !isErasureRelayed else { return }
        isErasureRelayed = true
        // Whatever the answer is, a later turn looks at the state.
        let address = ReturnAddress { [weak self] _ in
            guard let self else { return }
            runBetweenBatches { self.isErasureRelayed = false }
        }
        relay(RepeatErasures(overdueErasures), as: .server, admitsNewcomer: false, address)
    }

    private func erasuresMayBeOver() {
        guard overdueErasures.isEmpty, erasureWait?.isOver(in: state) ?? false, let wait = erasureWait else { return }
        erasureWait = nil
        afterPublishing(wait.done)
    }
}

/// Waits for deletions, but not for those that begin meanwhile: there may always be one.
struct ErasureWait {
    let done: @Sendable () -> Void
    /// Overdue deletions.
    private let aliases: Set<UserID>
    /// Those under way, by user and alias; `nil` while some are overdue.
    private var pending: [(user: UserID, alias: UserID)]?

    init(for overdue: some Sequence<ErasedUser>, in state: ChatState, _ done: @escaping @Sendable () -> Void) {
        self.done = done
        aliases = Set(overdue.map(\.alias)).union(state.unfinishedErasures.keys)
    }

    /// Call it once nothing is overdue.
    mutating func isOver(in state: ChatState) -> Bool {
        var pending =
            pending ?? state.unfinishedErasures.filter { aliases.contains($0.key) }.map { ($0.value, $0.key) }
        while let (user, alias) = pending.last, state.alias(ofErased: user) != alias { pending.removeLast() }
        self.pending = pending
        return pending.isEmpty
    }
}
