/// The findings of a share of a storm's clients.
struct StormFindings: Codable, Equatable, Sendable {
    /// Nanoseconds after the common start for each client that reconnected.
    private(set) var connected: [UInt64] = []
    private(set) var recovered: [UInt64] = []
    private(set) var hearing = Hearing()
    /// The number of clients whose missed messages could not be recovered.
    private(set) var gaps = 0
    /// Failed attempts to connect.
    private(set) var attempts = 0
    private(set) var problems = ProblemList()

    mutating func add(_ subscriber: Subscriber, _ back: ClientReturn, messages: Int) {
        if let after = back.connected {
            connected.append(after)
        } else {
            problems.add("\(subscriber.name) did not reconnect")
        }
        if let after = back.recovered { recovered.append(after) }
        // Failed attempts are not losses, because every client must reconnect and miss nothing.
        attempts += subscriber.link.losses.all.count
        let findings = subscriber.ledger.findings(sent: messages, excusing: [])
        hearing.add(subscriber.name, findings, losses: [], to: &problems)
        if back.refusals > 0 {
            gaps += 1
            problems.add("\(subscriber.name) cannot recover what it missed")
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
