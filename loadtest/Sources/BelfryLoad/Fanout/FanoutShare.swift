import BelfryClient
import Histogram

/// Some of a room's subscribers.
struct FanoutShare: Share {
    static let name = "fanout"

    struct Answer: Codable, Sendable {
        /// First deliveries of the run's messages so far.
        var delivered = 0
        /// At the end.
        var findings: Findings?
    }

    struct Findings: Codable, Sendable {
        /// Nanoseconds from the intended time to the delivery, for each stretch of the measured part.
        var stretches: [CountedValues]
        var hearing = Hearing()
        var problems = ProblemList()
    }

    private let plan: FanoutPlan
    private let crowd: Crowd
    private let tallies: [LoopTally]
    private let subscribers: [Subscriber]

    init(_ plan: FanoutPlan, clients: Range<Int>, crowd: Crowd) throws {
        self.plan = plan
        self.crowd = crowd
        let pace = plan.pace
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: pace.stretchCount) }
        self.tallies = tallies
        subscribers = try clients.map {
            try plan.subscriber($0, of: crowd, on: tallies[$0 % tallies.count]) { pace.stretch(of: $0) }
        }
    }

    func carryOut(_ order: ShareOrder) async throws -> Answer {
        switch order.step {
        case .connect:
            try await crowd.each(subscribers, "connecting") { try await crowd.arrive($0.client) }
        case .settle:
            try await crowd.each(subscribers, "joining") { try await crowd.join($0.client, plan.channel) }
        case .finish: return Answer(delivered: tallies.delivered, findings: await findings(Set(order.excused)))
        case .tell, .cut, .comeBack: break
        }
        return Answer(delivered: tallies.delivered)
    }

    private func findings(_ failed: Set<Int>) async -> Findings {
        for subscriber in subscribers { await subscriber.link.stop() }
        var findings = Findings(stretches: tallies.latencies().map { CountedValues($0) })
        for subscriber in subscribers {
            findings.hearing.add(
                subscriber.name, subscriber.ledger.findings(sent: plan.pace.messages, excusing: failed),
                losses: subscriber.link.losses.all, to: &findings.problems)
        }
        return findings
    }
}
