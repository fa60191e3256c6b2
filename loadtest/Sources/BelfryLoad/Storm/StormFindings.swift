/// What some of a storm's clients have found.
struct StormFindings: Codable, Equatable, Sendable {
    /// Nanoseconds after all set out: of each who was taken in again, and of each who recovered.
    private(set) var connected: [UInt64] = []
    private(set) var recovered: [UInt64] = []
    private(set) var hearing = Hearing()
    /// Clients that were told that what they missed is lost.
    private(set) var gaps = 0
    /// To connect, that failed.
    private(set) var attempts = 0
    private(set) var problems = ProblemList()

    mutating func add(_ subscriber: Subscriber, _ back: Return, messages: Int) {
        if let after = back.connected {
            connected.append(after)
        } else {
            problems.add("\(subscriber.name) did not come back")
        }
        if let after = back.recovered { recovered.append(after) }
        // Attempts that failed are no loss: what counts is that everyone comes back and misses nothing.
        attempts += subscriber.link.losses.all.count
        let findings = subscriber.ledger.findings(sent: messages, excusing: [])
        hearing.add(subscriber.name, findings, losses: [], to: &problems)
        if back.refusals > 0 {
            gaps += 1
            problems.add("\(subscriber.name) was told that what it missed is lost")
        }
    }

    mutating func merge(_ other: StormFindings) {
        connected += other.connected
        recovered += other.recovered
        hearing.merge(other.hearing)
        gaps += other.gaps
        attempts += other.attempts
        problems.merge(other.problems)
    }
}
