import ChatDomain

/// Finds the push recipients of a message in a large channel. The search starts once the message is on its way and uses
/// the sender's own turns. The sender's next command waits for it, so each sender has at most one search running.
extension ChatEngine {
    /// Only users without a connection get pushes (`L2`). In a small channel, finds all recipients at once.
    func findingPushes(in effects: [Effect]) -> [Effect] {
        guard effects.contains(where: { if case .pushing = $0 { true } else { false } }) else { return effects }
        return effects.compactMap { effect in
            guard case .pushing(var search) = effect, search.isShort else { return effect }
            return search.next(in: state, live.presence, work).map(Effect.push)
        }
    }

    /// - Parameter frame: The frame of the message.
    /// - Returns: `nil` if no search is needed.
    func pushSearch(for effects: [Effect], of frame: UInt64) -> Rest? {
        for case .pushing(let search) in effects { return Rest { $0.continueSearch(search, of: frame) } }
        return nil
    }

    private func continueSearch(_ search: PushSearch, of frame: UInt64) -> Rest? {
        guard let rest = step(search, of: frame) else { return nil }
        metrics.slices.increment()
        return Rest { $0.continueSearch(rest, of: frame) }
    }

    /// Continues the search for one turn.
    ///
    /// - Parameter isWanted: False ends the search.
    /// - Returns: The rest of the search; `nil` if it is over.
    func step(_ search: PushSearch, of frame: UInt64, isWanted: Bool = true) -> PushSearch? {
        var search = search
        var notices: [Effect] = []
        announcedCost = 0
        while isWanted, !search.isOver {
            if let notice = search.next(in: state, live.presence, work) { notices.append(.push(notice)) }
            if work.isSliceOver { break }
        }
        let isOver = search.isOver || !isWanted
        if isOver { notices.append(.pushed) }
        charge(notices)
        if !notices.isEmpty { log.mark(outcome(notices, nil, after: frame)) }
        return isOver ? nil : search
    }
}
