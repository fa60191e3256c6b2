import BelfryClient
import Dispatch
import Foundation
import Synchronization

/// One channel, many subscribers, a few publishers: connects them, sends to a schedule, and checks what everyone heard.
struct FanoutRun {
    let plan: FanoutPlan
    let crowd: Crowd
    /// The server's process; nil when it cannot be seen.
    let serverPID: Int32?
    let progress: Progress

    func run() async throws -> FanoutResult {
        let tallies = try (0..<plan.loops).map { LoopTally(try ClientLoop(label: "belfry-load-\($0)")) }
        let publishers = try (0..<plan.publishers).map { try publisher($0, on: tallies[$0 % tallies.count]) }
        let subscribers = try (0..<plan.subscribers).map { try subscriber($0, on: tallies[$0 % tallies.count]) }

        let setupStart = Clock.now
        try await crowd.gather(publishers, in: plan.channel, "publishers")
        try await crowd.each(subscribers, "connecting") { try await crowd.arrive($0.client) }
        try await crowd.each(subscribers, "joining") { try await crowd.join($0.client, plan.channel) }
        let setupSeconds = Double(Clock.now - setupStart) / 1e9
        let memory = serverPID.flatMap(ProcessTime.memory)

        let sends = SendTally()
        var result = FanoutResult(plan: plan, setupSeconds: setupSeconds)
        try await measure(publishers, tallies, sends, &result)
        progress.clear()
        for subscriber in subscribers { await subscriber.stop() }
        for publisher in publishers { publisher.disconnect() }
        result.conclude(subscribers, tallies, sends, memoryBefore: memory?.now)
        if let serverPID { result.serverMemory = ProcessTime.memory(of: serverPID)?.peak }
        return result
    }

    private func publisher(_ number: Int, on tally: LoopTally) throws -> BelfryClient {
        try crowd.sender("load-\(plan.run)-p\(number)", on: tally.loop)
    }

    private func subscriber(_ number: Int, on tally: LoopTally) throws -> Subscriber {
        let name = "load-\(plan.run)-s\(number)"
        return try Subscriber(name: name, configuration: crowd.configuration(name), plan: plan, tally: tally)
    }

    // MARK: The measured part

    private func measure(
        _ publishers: [BelfryClient], _ tallies: [LoopTally], _ sends: SendTally, _ result: inout FanoutResult
    ) async throws {
        let group = DispatchGroupBox()
        let publishing = Publishing(plan: plan, publishers: publishers, tally: sends)
        // A moment for the joins to be heard everywhere.
        let start = Clock.now + 500_000_000
        group.enter()
        Thread.detachNewThread {
            publishing.run(from: start, in: group)
            group.leave()
        }
        let warm = start + UInt64(plan.warmupSeconds) * 1_000_000_000
        await watch(until: warm, start, tallies, sends)
        let before = Sample(serverPID: serverPID, tallies: tallies)
        let end = start + UInt64(plan.warmupSeconds + plan.seconds) * 1_000_000_000
        await watch(until: end, start, tallies, sends)
        let deadline = Clock.now + UInt64(plan.drainSeconds) * 1_000_000_000
        while delivered(tallies) < plan.deliveries, Clock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        let after = Sample(serverPID: serverPID, tallies: tallies)
        // Nothing may come that was not asked for: a doubled delivery would come late.
        try await Task.sleep(for: .milliseconds(300))
        result.timedOutAnswers = !group.wait(seconds: 35)
        result.note(before, after)
    }

    private func delivered(_ tallies: [LoopTally]) -> Int {
        tallies.reduce(0) { $0 + $1.delivered.load(ordering: .relaxed) }
    }

    private func watch(until instant: UInt64, _ start: UInt64, _ tallies: [LoopTally], _ sends: SendTally) async {
        while true {
            let now = Clock.now
            guard now < instant else { return }
            if now > start {
                let seconds = Double(now - start) / 1e9
                let sent = sends.sent.load(ordering: .relaxed)
                progress.show(
                    "\(seconds.formatted(1)) s: \(sent) of \(plan.messages) sent, \(delivered(tallies)) delivered")
            }
            try? await Task.sleep(for: .nanoseconds(Int64(min(instant - now, 250_000_000))))
        }
    }
}

/// What was used and done up to a moment.
struct Sample {
    let at = Clock.now
    let serverCPU: Double?
    let ownCPU: Double?
    let delivered: Int

    init(serverPID: Int32?, tallies: [LoopTally]) {
        serverCPU = serverPID.flatMap(ProcessTime.seconds)
        ownCPU = ProcessTime.seconds(of: getpid())
        delivered = tallies.reduce(0) { $0 + $1.delivered.load(ordering: .relaxed) }
    }
}

/// Counts what is under way; may be used from everywhere.
final class DispatchGroupBox: Sendable {
    private let group = DispatchGroup()

    func enter() { group.enter() }
    func leave() { group.leave() }

    /// - Returns: False when something is still under way then.
    func wait(seconds: Int) -> Bool { group.wait(timeout: .now() + .seconds(seconds)) == .success }
}
