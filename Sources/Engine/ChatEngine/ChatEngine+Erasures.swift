import ChatDomain
import ChatModel
import Journal

/// Removes what names deleted users, in small turns (`PR1`). No timer runs while nobody is being deleted.
extension ChatEngine {
    private static let erasureRetryMilliseconds = 100
    /// Deletions that one turn repeats.
    private static let repeatedErasures = 500

    /// Passes everyone who was deleted, as far as the chat knows, by alias those whose traces are still being replaced,
    /// and the last frame, which may not be durable yet. Calls back on the engine's queue.
    package func readErasedUsers(
        _ done: @escaping @Sendable (_ users: [ErasedUser], _ unfinished: [UserID: UserID], _ frame: UInt64) -> Void
    ) {
        post { done($0.state.erasedUsers, $0.state.unfinishedErasures, $0.sequence) }
    }

    /// Repeats the deletions that a chat restored from an older backup does not know.
    ///
    /// - Parameter done: Called once they are complete and durable; in a cluster, only while this node decides.
    package func repeatErasures(_ known: [ErasedUser], _ done: @escaping @Sendable () -> Void) {
        post { engine in
            engine.overdueErasures = engine.state.missing(known)[...]
            engine.erasureWaiters.append(done)
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
            // The node that decided before may have repeated them.
            let events = state.repeating(Array(overdueErasures.prefix(Self.repeatedErasures)))
            let records = state.records(of: events, in: context)
            guard log.canExpress(records) else { return nil }
            overdueErasures = overdueErasures.dropFirst(Self.repeatedErasures)
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
            load(missing) {}
            return nil
        }
        erasureScan = turn.isOver ? nil : scan
        return state.records(of: turn.events, in: context)
    }

    private func erasuresMayBeOver() {
        guard !erasureWaiters.isEmpty, overdueErasures.isEmpty, !state.isErasing else { return }
        let waiters = erasureWaiters
        erasureWaiters = []
        afterPublishing { for done in waiters { done() } }
    }
}
