import BelfryClient
import Foundation
import Histogram

/// One channel, many listeners; in every other stretch of the messages some more who do not read.
struct SlowRun {
    let plan: FanoutPlan
    /// Messages in each half of a round.
    let half: Int
    let rounds: Int
    let stalled: Int
    let crowd: Crowd
    /// The server's process; nil when it cannot be seen.
    let serverPID: Int32?

    /// The kernel keeps little for those who do not read, so that it is the server's memory that is seen.
    private static let receiveBufferBytes = 4_096
    /// Fills that, and the server's socket.
    private static let filling = (messages: 24, bytes: 4_000)

    func run() async throws -> SlowResult {
        let tallies = try (0..<plan.loops).map {
            LoopTally(try ClientLoop(label: "belfry-load-\($0)"), stretch: half, count: 2 * rounds)
        }
        let publisher = try crowd.sender("load-\(plan.run)-p", on: tallies[0].loop)
        let subscribers = try (0..<plan.subscribers).map { number in
            let name = "load-\(plan.run)-s\(number)"
            return try Subscriber(
                name: name, configuration: crowd.configuration(name), plan: plan, tally: tallies[number % tallies.count]
            )
        }
        try await crowd.gather([publisher], in: plan.channel, "the publisher")
        try await crowd.each(subscribers, "connecting") { try await crowd.arrive($0.client) }
        try await crowd.each(subscribers, "joining") { try await crowd.join($0.client, plan.channel) }
        try await joinStalled(on: tallies[0].loop)

        let publishing = Publishing(plan: plan, publishers: [publisher], tally: SendTally())
        var (result, memory) = (SlowResult(subscribers: plan.subscribers, stalled: stalled), [Int?]())
        for round in 0..<rounds {
            crowd.progress.show("round \(round + 1) of \(rounds)")
            try await send(2 * round, publishing, tallies, &result)
            let before = serverPID.flatMap(ProcessTime.memory)?.now
            let deaf = try await connectStalled(on: tallies[0].loop)
            try await fill(publisher)
            let after = serverPID.flatMap(ProcessTime.memory)?.now
            memory.append(before.flatMap { before in after.map { ($0 - before) / stalled } })
            try await send(2 * round + 1, publishing, tallies, &result)
            for client in deaf { client.disconnect() }
        }
        crowd.progress.clear()
        for subscriber in subscribers { await subscriber.stop() }
        publisher.disconnect()
        conclude(subscribers, publishing.tally, &result)
        result.rounds = (0..<rounds).map { round in
            let (without, with) = (merged(tallies, 2 * round), merged(tallies, 2 * round + 1))
            return SlowResult.Round(
                p50Before: without.milliseconds(50), p99Before: without.milliseconds(99),
                p50With: with.milliseconds(50), p99With: with.milliseconds(99), bytesPerStalled: memory[round])
        }
        return result
    }

    /// One stretch of the plan's messages, until everyone has heard them or the time for that is over.
    private func send(
        _ stretch: Int, _ publishing: Publishing, _ tallies: [LoopTally], _ result: inout SlowResult
    ) async throws {
        let group = DispatchGroupBox()
        let range = stretch * half..<(stretch + 1) * half
        group.enter()
        Thread.detachNewThread {
            publishing.run(range, from: Clock.now + 200_000_000, in: group)
            group.leave()
        }
        let expected = range.upperBound * plan.subscribers
        let deadline = Clock.now + UInt64(half / plan.rate + plan.drainSeconds) * 1_000_000_000
        while tallies.reduce(0, { $0 + $1.delivered.load(ordering: .relaxed) }) < expected {
            guard Clock.now < deadline else {
                return result.problems.append("not everything was heard in stretch \(stretch + 1)")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: Those who do not read

    private func name(ofStalled number: Int) -> String { "load-\(plan.run)-d\(number)" }

    private func joinStalled(on loop: ClientLoop) async throws {
        let clients = try (0..<stalled).map { try crowd.sender(name(ofStalled: $0), on: loop) }
        try await crowd.each(clients, "joining those who will not read") { client in
            try await crowd.arrive(client)
            try await crowd.join(client, plan.channel)
            client.disconnect()
        }
    }

    private func connectStalled(on loop: ClientLoop) async throws -> [BelfryClient] {
        let clients = try (0..<stalled).map { number in
            var configuration = try crowd.configuration(name(ofStalled: number))
            configuration.loop = loop
            configuration.receiveBufferBytes = Self.receiveBufferBytes
            // Nobody takes the events, so reading stops at the first.
            configuration.undeliveredLimit = 1
            let client = try BelfryClient(configuration)
            _ = client.events
            return client
        }
        try await crowd.each(clients, "connecting those who do not read") { try await crowd.arrive($0) }
        return clients
    }

    private func fill(_ publisher: BelfryClient) async throws {
        for _ in 0..<Self.filling.messages {
            let text = String(repeating: "y", count: Self.filling.bytes)
            _ = try await publisher.call(SendMessage(channelID: plan.channel, text: text))
        }
        try await Task.sleep(for: .milliseconds(500))
    }

    // MARK: What came of it

    private func merged(_ tallies: [LoopTally], _ stretch: Int) -> Histogram<UInt64> {
        var all = Histogram<UInt64>.latency()
        for tally in tallies { all.add(tally.latencies[stretch]) }
        return all
    }

    private func conclude(_ subscribers: [Subscriber], _ sends: SendTally, _ result: inout SlowResult) {
        let failures = sends.state.withLock { $0.firstFailures }
        result.problems += failures.map { "not acknowledged: \($0)" }
        for subscriber in subscribers where result.problems.count < 20 {
            let findings = subscriber.ledger.findings(sent: 2 * rounds * half, excusing: [])
            if !findings.isClean {
                result.problems.append("\(subscriber.name) heard other than what was sent: \(findings)")
            }
            if let reason = subscriber.losses.all.first {
                result.problems.append("\(subscriber.name) lost its connection: \(reason)")
            }
        }
    }
}

extension Histogram<UInt64> {
    fileprivate func milliseconds(_ percentile: Double) -> Double { Double(valueAtPercentile(percentile)) / 1e6 }
}
