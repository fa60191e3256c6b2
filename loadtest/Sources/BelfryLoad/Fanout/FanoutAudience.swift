/// A share of a room's subscribers.
protocol FanoutAudience: Sendable {
    func connect() async throws
    func join() async throws
    /// First deliveries of the run's messages so far.
    var delivered: Int { get }
    /// Disconnects the clients and returns the findings.
    func findings(excusing failed: Set<Int>) async -> FanoutShare.Findings
}

/// Subscribers that use the client library, like an app.
struct ClientAudience: FanoutAudience {
    private let plan: FanoutPlan
    private let crowd: Crowd
    private let tallies: [LoopTally]
    private let subscribers: [Subscriber]
    /// The number of the first one.
    private let first: Int

    init(_ plan: FanoutPlan, clients: Range<Int>, crowd: Crowd) throws {
        self.plan = plan
        self.crowd = crowd
        first = clients.lowerBound
        let pace = plan.pace
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: pace.stretchCount) }
        self.tallies = tallies
        subscribers = try clients.map {
            try plan.subscriber($0, of: crowd, on: tallies[$0 % tallies.count]) { pace.stretch(of: $0) }
        }
    }

    func connect() async throws {
        try await crowd.each(subscribers, "connecting") { try await crowd.connect($0.client) }
    }

    func join() async throws {
        try await crowd.each(subscribers, "joining") { try await crowd.join($0.client, plan.channel) }
    }

    var delivered: Int { tallies.delivered }

    func findings(excusing failed: Set<Int>) async -> FanoutShare.Findings {
        for subscriber in subscribers { await subscriber.link.stop() }
        var findings = FanoutShare.Findings(stretches: tallies.latencies().map { CountedValues($0) })
        findings.nodes = [NodeLoad](nodes: crowd.urls.count)
        for (index, subscriber) in subscribers.enumerated() {
            findings.nodes.add(client: first + index, deliveries: subscriber.ledger.heard)
            findings.hearing.add(
                subscriber.name, subscriber.ledger.findings(sent: plan.pace.messages, excusing: failed),
                losses: subscriber.link.losses.all, to: &findings.problems)
        }
        return findings
    }
}
