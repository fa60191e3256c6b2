/// The findings of a share of a storm's clients.
struct StormFindings: Codable, Equatable, Sendable {
    /// Nanoseconds after the common start, of each client that reconnected and each that recovered.
    private(set) var connected: [UInt64] = []
    private(set) var recovered: [UInt64] = []
    private(set) var hearing = Hearing()
    /// Clients that were told that missed messages are lost.
    private(set) var gaps = 0
    /// Failed attempts to connect.
    private(set) var attempts = 0
    private(set) var problems = ProblemList()

    mutating func add(_ subscriber: Subscriber, _ back: ClientReturn, messages: Int) {
        if let after = back.connected {
            connected.append(after)
        } else {
            problems.add("\(subscriber.name) did not come back")
        }
        if let after = back.recovered { recovered.append(after) }
        // Failed attempts are not losses: everyone has to reconnect and miss nothing.
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
