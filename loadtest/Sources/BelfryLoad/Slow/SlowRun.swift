import BelfryClient
import Foundation
import Histogram

/// A scenario with one channel and many subscribers, joined in every other stretch by some that do not read.
struct SlowRun {
    let plan: FanoutPlan
    /// Seconds of sending in each half of a round.
    let halfSeconds: Int
    let rounds: Int
    let stalled: Int
    let crowd: Crowd
    let server: ServerProcesses

    /// A small kernel buffer for stalled clients, which keeps the backlog in the server's memory.
    private static let receiveBufferBytes = 4_096
    /// Messages that fill this buffer and the server's socket buffer.
    private static let filling = (messages: 24, bytes: 4_000)

    /// Messages in each half of a round.
    private var half: Int { plan.pace.rate * halfSeconds }

    func run() async throws -> SlowResult {
        let half = half
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: 2 * rounds) }
        let publisher = try crowd.sender("load-\(plan.run)-p", on: tallies[0].loop)
        let subscribers = try (0..<plan.subscribers).map { number in
            try plan.subscriber(number, of: crowd, on: tallies[number % tallies.count]) { $0 / half }
        }
        try await crowd.gather([publisher], in: plan.channel, "the publisher")
        try await crowd.each(subscribers, "connecting") { try await crowd.connect($0.client) }
        try await crowd.each(subscribers, "joining") { try await crowd.join($0.client, plan.channel) }
        try await joinStalled(on: tallies[0].loop)

        let publishing = Publishing(
            run: plan.run, channel: plan.channel, textBytes: plan.textBytes, pace: plan.pace, publishers: [publisher],
            tally: SendTally())
        var result = SlowResult(plan: plan, stalled: stalled, halfSeconds: halfSeconds)
        var memory = [Int?]()
        for round in 0..<rounds {
            crowd.progress.show("round \(round + 1) of \(rounds)")
            try await send(2 * round, publishing, tallies, &result)
            let before = server.memory?.now
            let stalledClients = try await connectStalled(on: tallies[0].loop)
            try await fill(publisher)
            let after = server.memory?.now
            memory.append(before.flatMap { before in after.map { ($0 - before) / stalled } })
            try await send(2 * round + 1, publishing, tallies, &result)
            for client in stalledClients { client.disconnect() }
        }
        crowd.progress.clear()
        for subscriber in subscribers { await subscriber.link.stop() }
        publisher.disconnect()
        conclude(subscribers, publishing.tally, tallies.latencies(), memory, &result)
        return result
    }

    /// Sends one stretch of messages and waits until everyone has received them or the time is up.
    private func send(
        _ stretch: Int, _ publishing: Publishing, _ tallies: [LoopTally], _ result: inout SlowResult
    ) async throws {
        let group = DispatchGroupBox()
        let range = stretch * half..<(stretch + 1) * half
        group.detach { publishing.run(range, from: Clock.now + 200_000_000, in: group) }
        let expected = range.upperBound * plan.subscribers
        let deadline = Clock.now + UInt64(halfSeconds + plan.drainSeconds) * 1_000_000_000
        while tallies.delivered < expected {
            guard Clock.now < deadline else {
                return result.problems.add("not everything was received in stretch \(stretch + 1)")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        if await !group.wait(seconds: 35) {
            result.problems.add("some replies never arrived in stretch \(stretch + 1)")
        }
    }

    // MARK: Stalled clients

    private func name(ofStalled number: Int) -> String { "load-\(plan.run)-d\(number)" }

    private func joinStalled(on loop: ClientLoop) async throws {
        let clients = try (0..<stalled).map { try crowd.sender(name(ofStalled: $0), number: $0, on: loop) }
        try await crowd.each(clients, "joining stalled clients") { client in
            try await crowd.connect(client)
            try await crowd.join(client, plan.channel)
            client.disconnect()
        }
    }

    private func connectStalled(on loop: ClientLoop) async throws -> [BelfryClient] {
        let clients = try (0..<stalled).map { number in
            var configuration = try crowd.configuration(name(ofStalled: number), number: number)
            configuration.loop = loop
            configuration.receiveBufferBytes = Self.receiveBufferBytes
            // Nobody consumes the events, so reading stops at the first one.
            configuration.undeliveredLimit = 1
            let client = try BelfryClient(configuration)
            _ = client.events
            return client
        }
        try await crowd.each(clients, "connecting stalled clients") { try await crowd.connect($0) }
        return clients
    }

    private func fill(_ publisher: BelfryClient) async throws {
        for _ in 0..<Self.filling.messages {
            let text = String(repeating: "y", count: Self.filling.bytes)
            _ = try await publisher.call(SendMessage(channelID: plan.channel, text: text))
        }
        try await Task.sleep(for: .milliseconds(500))
    }

    // MARK: Result

    private func conclude(
        _ subscribers: [Subscriber], _ sends: SendTally, _ latencies: [Histogram<UInt64>], _ memory: [Int?],
        _ result: inout SlowResult
    ) {
        result.sends = sends
        result.problems.add(sends.problems)
        let failed = sends.state.withLock(\.failed)
        for subscriber in subscribers {
            let findings = subscriber.ledger.findings(sent: plan.pace.messages, excusing: failed)
            result.hearing.add(subscriber.name, findings, losses: subscriber.link.losses.all, to: &result.problems)
        }
        result.rounds = (0..<rounds).map { round in
            let (without, with) = (latencies[2 * round], latencies[2 * round + 1])
            return SlowResult.Round(
                p50Before: without.milliseconds(50), p99Before: without.milliseconds(99),
                p50With: with.milliseconds(50), p99With: with.milliseconds(99), bytesPerStalled: memory[round])
        }
        result.distributions = [
            Histogram(merging: (0..<rounds).map { latencies[2 * $0] })
                .distribution("intended time to delivery, without stalled listeners"),
            Histogram(merging: (0..<rounds).map { latencies[2 * $0 + 1] })
                .distribution("intended time to delivery, with stalled listeners"),
        ]
    }
}
