import ChatDomain
import Journal

/// Removes messages whose time is over. No timer runs while no message has a limited time.
extension ChatEngine {
    /// The maximum delay of a removal; at most a second is promised (`MT9`, `PR4`).
    private static let deadlineMilliseconds: Int64 = 500

    /// - Parameter isRetry: Whether what is due could not be removed just now.
    func scheduleDeadlines(isRetry: Bool = false) {
        guard !isDeadlineScheduled, let next = deadlines.next else { return }
        isDeadlineScheduled = true
        metrics.deadlines.record(deadlines.count)
        let wait = min(max(next - now(), 1), Self.deadlineMilliseconds)
        later(Int(isRetry ? Self.deadlineMilliseconds : wait)) { engine in
            engine.isDeadlineScheduled = false
            // The next command does not pay for it.
            defer { _ = engine.work.drain() }
            let isRetry = !engine.meetDeadlines()
            engine.metrics.deadlines.record(engine.deadlines.count)
            engine.scheduleDeadlines(isRetry: isRetry)
        }
    }

    /// Removes what is due immediately; for tests, and after the clock has been moved.
    package func meetDeadlinesNow() { post { while $0.meetDeadlines() {} } }

    /// - Returns: Whether something was removed, so that more may be due.
    private func meetDeadlines() -> Bool {
        let context = context(.server)
        guard let next = deadlines.next, next <= context.now else { return false }
        // On a node that follows, the log refuses; without space, the next turn retries.
        guard let reservation = log.reserve() else {
            deadlines.dropObsolete(at: context.now, in: state, settings)
            return false
        }
        let (events, messages) = deadlines.due(at: context.now, in: state, settings) { event in
            log.canExpress([Record(event: event, at: context.now, by: nil, positions: [])])
        }
        guard !events.isEmpty else {
            log.cancel(reservation)
            return false
        }
        let (records, effects) = fold(events, context)
        metrics.messagesRemoved.increment(by: messages)
        append(records, Outcome(effects: effects, answer: nil), in: reservation)
        return true
    }
}
