import BelfryClient
import Dispatch
import Foundation
import Histogram

/// One channel, many subscribers, a few publishers: connects them, sends to a schedule, and checks what everyone heard.
struct FanoutRun {
    let plan: FanoutPlan
    let crowd: Crowd
    /// The server's process; nil when it cannot be seen.
    let serverPID: Int32?

    func run() async throws -> FanoutResult {
        let pace = plan.pace
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: pace.stretchCount) }
        let publishers = try (0..<plan.publishers).map {
            try crowd.sender("load-\(plan.run)-p\($0)", on: tallies[$0 % tallies.count].loop)
        }
        let subscribers = try (0..<plan.subscribers).map {
            try plan.subscriber($0, of: crowd, on: tallies[$0 % tallies.count]) { pace.stretch(of: $0) }
        }
        let setupStart = Clock.now
        try await crowd.gather(publishers, in: plan.channel, "publishers")
        try await crowd.each(subscribers, "connecting") { try await crowd.arrive($0.client) }
        try await crowd.each(subscribers, "joining") { try await crowd.join($0.client, plan.channel) }

        let publishing = Publishing(
            run: plan.run, channel: plan.channel, textBytes: plan.textBytes, pace: pace, publishers: publishers,
            tally: SendTally())
        var result = FanoutResult(plan: plan, setupSeconds: Double(Clock.now - setupStart) / 1e9)
        try await measure(publishing, tallies, &result)
        crowd.progress.clear()
        for subscriber in subscribers { await subscriber.link.stop() }
        for publisher in publishers { publisher.disconnect() }
        result.serverMemory = serverPID.flatMap(ProcessTime.memory)?.peak
        result.conclude(subscribers, tallies, publishing.tally)
        return result
    }

    private func measure(
        _ publishing: Publishing, _ tallies: [LoopTally], _ result: inout FanoutResult
    ) async throws {
        let (pace, group) = (plan.pace, DispatchGroupBox())
        // A moment for the joins to be heard everywhere.
        let start = Clock.now + 500_000_000
        group.detach { publishing.run(0..<pace.messages, from: start, in: group) }
        let warm = start + UInt64(pace.warmupSeconds) * 1_000_000_000
        await crowd.progress.count(until: warm, of: pace.messages, publishing.tally, tallies)
        let (before, deliveredBefore) = (Sample(serverPID: serverPID), tallies.delivered)
        await crowd.progress.count(
            until: warm + UInt64(pace.seconds) * 1_000_000_000, of: pace.messages, publishing.tally, tallies)
        let deadline = Clock.now + UInt64(plan.drainSeconds) * 1_000_000_000
        while tallies.delivered < plan.deliveries, Clock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        result.usage = Usage(from: before, to: Sample(serverPID: serverPID))
        result.sampledDeliveries = tallies.delivered - deliveredBefore
        // Nothing may come that was not asked for: a doubled delivery would come late.
        try await Task.sleep(for: .milliseconds(300))
        result.allAnswered = await group.wait(seconds: 35)
    }
}
