import ChatDomain

/// To whom a message of a large channel is pushed is found out in turns of the sender's own, when the message is on its way already.
/// The sender's next command comes after that, so that there is one search for each who asks at most.
extension ChatEngine {
    /// Pushes are for those who are not there (`L2`). In a small channel all of them are found at once.
    func findingPushes(_ effect: Effect) -> Effect? {
        guard case .pushing(var search) = effect, search.isShort else { return effect }
        return search.next(in: state, live.presence, work).map(Effect.push)
    }

    /// - Parameter frame: The message's.
    /// - Returns: `nil` where nothing is left to be found.
    func searches(of effects: [Effect], of frame: UInt64) -> Rest? {
        for case .pushing(let search) in effects { return Rest { $0.look(search, of: frame) } }
        return nil
    }

    /// What fits into a turn.
    private func look(_ search: PushSearch, of frame: UInt64) -> Rest? {
        var search = search
        var notices: [Effect] = []
        announced = 0
        repeat {
            if let notice = search.next(in: state, live.presence, work) { notices.append(.push(notice)) }
        } while !search.isOver && !work.isSliceOver
        if search.isOver { notices.append(.pushed) }
        charge(notices)
        if !notices.isEmpty { log.mark(outcome(notices, nil, after: frame)) }
        guard !search.isOver else { return nil }
        metrics.slices.increment()
        return Rest { [search] in $0.look(search, of: frame) }
    }
}
