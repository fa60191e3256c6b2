import BelfryClient
import Histogram

/// A share of a room's subscribers, in one process.
struct FanoutShare: Share {
    static let name = "fanout"

    struct Answer: Codable, Sendable {
        /// First deliveries of the run's messages so far.
        var delivered = 0
        /// The findings at the end of the run.
        var findings: Findings?
    }

    struct Findings: Codable, Sendable {
        /// Nanoseconds from the intended time to the delivery, for each stretch of the measured part.
        var stretches: [CountedValues]
        var hearing = Hearing()
        var problems = ProblemList()
        var nodes: [NodeLoad] = []
    }

    private let audience: any FanoutAudience

    init(_ plan: FanoutPlan, clients: Range<Int>, crowd: Crowd) throws {
        audience =
            plan.isRaw
            ? try RawAudience(plan, clients: clients, crowd: crowd)
            : try ClientAudience(plan, clients: clients, crowd: crowd)
    }

    func perform(_ order: ShareOrder) async throws -> Answer {
        switch order.step {
        case .connect: try await audience.connect()
        case .settle: try await audience.join()
        case .finish:
            return Answer(
                delivered: audience.delivered, findings: await audience.findings(excusing: Set(order.excused)))
        case .tell, .cut, .comeBack: break
        }
        return Answer(delivered: audience.delivered)
    }
}
