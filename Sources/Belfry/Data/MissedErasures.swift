import ChatModel

/// Decides when a server that was away may serve again: once what was erased meanwhile is gone from it, too (`PR1`).
///
///     away ⇒ comparing ⇒ clearing ⇒ ready, and back to away whenever the server lags behind its cluster
///
/// While away, deletions are collected as the server learns of them. It is ready once it has everything up to a moment,
/// has repeated what only its ledger knew, and has no bytes of them on its disk. Deletions that begin later delay nothing.
struct MissedErasures {
    enum Phase: Equatable {
        case away
        /// Catches up, and compares the ledger with the chat.
        case comparing
        /// Waits for the disk.
        case clearing
        case ready
    }

    private(set) var phase = Phase.away
    /// Aliases of the users of whom something is on the disk.
    private var aliases: Set<UserID> = []
    /// Distinguishes comparisons, so that one that was overtaken does not count.
    private(set) var comparison = 0

    /// - Parameter isCurrent: Whether the server is as far as its cluster; always true for a single one.
    /// - Returns: Whether to compare now, and then call `compared`.
    mutating func check(isCurrent: Bool) -> Bool {
        guard isCurrent else {
            phase = .away
            return false
        }
        guard phase == .away else { return false }
        phase = .comparing
        comparison += 1
        return true
    }

    /// The server learned of a deletion.
    mutating func began(_ alias: UserID) {
        switch phase {
        case .away, .comparing: aliases.insert(alias)
        case .clearing, .ready: break
        }
    }

    /// - Parameter isDone: Whether the server has caught up and repeated what was missing.
    mutating func compared(_ comparison: Int, isDone: Bool) {
        guard phase == .comparing, comparison == self.comparison else { return }
        phase = isDone ? .clearing : .away
        clear()
    }

    /// Nothing on the disk names these users any longer, or it cannot be helped.
    mutating func cleared(_ aliases: some Sequence<UserID>) {
        self.aliases.subtract(aliases)
        clear()
    }

    private mutating func clear() { if phase == .clearing, aliases.isEmpty { phase = .ready } }
}
