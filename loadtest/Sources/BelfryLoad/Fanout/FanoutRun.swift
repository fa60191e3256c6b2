import BelfryClient

/// A scenario with one channel, many subscribers and a few publishers: connects them, sends on schedule, and checks
/// what everyone received.
struct FanoutRun {
    let plan: FanoutPlan
    /// Processes for the subscribers; nil for as few as the descriptor limit allows.
    let processes: Int?
    let crowd: Crowd
    let server: ServerProcesses

    func run() async throws -> FanoutResult {
        let group = try ShareGroup<FanoutShare>(plan, clients: plan.subscribers, processes: processes, crowd: crowd)
        defer { group.stop() }
        let loop = try Crowd.loops(1)[0]
        let publishers = try (0..<plan.publishers).map {
            try crowd.sender("load-\(plan.run)-p\($0)", number: $0, on: loop)
        }
        let setupStart = Clock.now
        try await crowd.gather(publishers, in: plan.channel, "publishers")
        _ = try await group.perform(.connect)
        _ = try await group.perform(.settle)
        var result = FanoutResult(plan: plan, setupSeconds: Double(Clock.now - setupStart) / 1e9)
        let publishing = Publishing(
            run: plan.run, channel: plan.channel, textBytes: plan.textBytes, pace: plan.pace, publishers: publishers,
            tally: SendTally())
        result.processes = group.processCount
        try await measure(publishing, group, &result)
        crowd.progress.show("checking")
        let failed = publishing.tally.state.withLock(\.failed).sorted()
        let answers = try await group.perform(.finish, excusing: failed)
        for publisher in publishers { publisher.disconnect() }
        result.serverMemory = server.memory?.peak
        result.conclude(answers, publishing.tally)
        return result
    }

    private func measure(
        _ publishing: Publishing, _ group: ShareGroup<FanoutShare>, _ result: inout FanoutResult
    ) async throws {
        let (pace, answers) = (plan.pace, DispatchGroupBox())
        func delivered() async -> Int {
            (try? await group.perform(.tell).reduce(0) { $0 + $1.delivered }) ?? 0
        }
        // Allow time for the join events to arrive everywhere.
        let start = Clock.now + 500_000_000
        answers.detach { publishing.run(0..<pace.messages, from: start, in: answers) }
        let warm = start + UInt64(pace.warmupSeconds) * 1_000_000_000
        await crowd.progress.count(until: warm, of: pace.messages, publishing.tally, delivered: delivered)
        let (before, deliveredBefore) = (Sample(server: server, testers: group.pids), await delivered())
        await crowd.progress.count(
            until: warm + UInt64(pace.seconds) * 1_000_000_000, of: pace.messages, publishing.tally,
            delivered: delivered)
        let deadline = Clock.now + UInt64(plan.drainSeconds) * 1_000_000_000
        var deliveredAfter = await delivered()
        while deliveredAfter < plan.deliveries, Clock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
            deliveredAfter = await delivered()
        }
        result.usage = Usage(from: before, to: Sample(server: server, testers: group.pids))
        result.sampledDeliveries = deliveredAfter - deliveredBefore
        // Allow time for duplicate deliveries to arrive.
        try await Task.sleep(for: .milliseconds(300))
        result.allAnswered = await answers.wait(seconds: 35)
    }
}
