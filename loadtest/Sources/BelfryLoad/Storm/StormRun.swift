import BelfryClient
import Foundation

/// Cuts everyone off at once, lets them miss something, and lets them come back at once.
struct StormRun {
    let plan: StormPlan
    let crowd: Crowd
    /// The server's process; nil when it cannot be seen.
    let serverPID: Int32?

    /// What the server may have opened meanwhile besides.
    private static let otherFiles = 8

    struct Guest: Sendable {
        let subscriber: Subscriber
        let back: Return
    }

    func run() async throws -> StormResult {
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: 1) }
        let host = try crowd.sender("load-\(plan.run)-host", on: tallies[0].loop)
        try await crowd.arrive(host)
        try await crowd.each(plan.rooms, "making rooms") { try await crowd.create($0, by: host) }
        let names = (0..<plan.clients).map(plan.name)
        try await crowd.settle(names, on: tallies.map(\.loop)) { [plan] in [plan.rooms[plan.room(of: $0)]] }
        try await say(0..<plan.history, as: "\(plan.run)h", by: host, "filling rooms")

        let homecoming = Homecoming()
        let guests = try (0..<plan.clients).map { try guest($0, homecoming, tallies[$0 % tallies.count]) }
        try await crowd.each(guests, "connecting") { try await crowd.arrive($0.subscriber.client) }
        try await say(0..<1, as: plan.run, by: host, "greeting")
        try await waitForAll("hearing the first message") { tallies.delivered >= plan.clients }

        var result = StormResult(plan: plan)
        try await cut(guests, host, &result)
        try await comeBack(guests, homecoming, &result)
        crowd.progress.show("checking")
        for guest in guests { await guest.subscriber.link.stop() }
        host.disconnect()
        result.conclude(guests)
        return result
    }

    private func guest(_ number: Int, _ homecoming: Homecoming, _ tally: LoopTally) throws -> Guest {
        let (channel, messages) = (plan.rooms[plan.room(of: number)], plan.messages)
        let back = Return()
        var configuration = try crowd.configuration(plan.name(of: number))
        configuration.loop = tally.loop
        configuration.onSubscribed = { room, recovered, _ in
            guard room == channel.rawValue, let elapsed = homecoming.elapsed else { return }
            if back.connected == nil { homecoming.connected.add(1, ordering: .relaxed) }
            back.wasTakenIn(after: elapsed, recovered: recovered)
        }
        let subscriber = try Subscriber(
            name: plan.name(of: number), configuration: configuration, channel: channel, run: plan.run,
            messages: messages
        ) { _, ledger in
            tally.noteDelivery(after: 0, in: nil)
            guard ledger.heard == messages, let elapsed = homecoming.elapsed else { return }
            if back.recovered == nil { homecoming.recovered.add(1, ordering: .relaxed) }
            back.hasHeardAll(after: elapsed)
        }
        return Guest(subscriber: subscriber, back: back)
    }

    /// Messages in every room, told by their numbers.
    private func say(_ messages: Range<Int>, as run: String, by host: BelfryClient, _ what: String) async throws {
        try await crowd.each(plan.rooms, what) { [plan] room in
            for sequence in messages {
                let text = MessageText(sequence: sequence, intended: Clock.now).encoded(run: run, bytes: plan.textBytes)
                _ = try await host.rpc(
                    method: SendMessage.method,
                    data: MessageText.command(text, in: room, clientID: "\(run)-\(sequence)"))
            }
        }
    }

    private func cut(_ guests: [Guest], _ host: BelfryClient, _ result: inout StormResult) async throws {
        let descriptors = serverPID.flatMap(ProcessTime.descriptors)
        result.memoryBefore = serverPID.flatMap(ProcessTime.memory)?.now
        for guest in guests { guest.subscriber.client.abort() }
        try await say(1..<plan.messages, as: plan.run, by: host, "sending what is missed")
        // Who comes back is to find the server without the old connections.
        if let serverPID, let descriptors {
            try await waitForAll("the server noticing that all are gone") {
                (ProcessTime.descriptors(of: serverPID) ?? 0) <= descriptors - plan.clients + Self.otherFiles
            }
        } else {
            try await Task.sleep(for: .seconds(2))
        }
        if let serverPID {
            result.memoryIsReset = ProcessTime.resetPeak(of: serverPID)
            result.memoryAway = ProcessTime.memory(of: serverPID)?.now
        }
    }

    private func comeBack(_ guests: [Guest], _ homecoming: Homecoming, _ result: inout StormResult) async throws {
        let before = Sample(serverPID: serverPID)
        homecoming.began.store(Clock.now, ordering: .releasing)
        for guest in guests { guest.subscriber.client.connect() }
        let deadline = Clock.now + UInt64(plan.patienceSeconds) * 1_000_000_000
        func isOver() -> Bool {
            homecoming.recovered.load(ordering: .relaxed) >= plan.clients
                && homecoming.connected.load(ordering: .relaxed) >= plan.clients
        }
        while !isOver(), Clock.now < deadline {
            crowd.progress.show("back: \(homecoming.recovered.load(ordering: .relaxed)) of \(plan.clients)")
            try await Task.sleep(for: .milliseconds(10))
        }
        result.usage = Usage(from: before, to: Sample(serverPID: serverPID))
        // Nothing may come that was not missed: a doubled delivery would come late.
        try await Task.sleep(for: .milliseconds(300))
        result.memoryPeak = serverPID.flatMap(ProcessTime.memory)?.peak
    }

    private func waitForAll(_ what: String, _ isDone: () -> Bool) async throws {
        let deadline = Clock.now + UInt64(plan.patienceSeconds) * 1_000_000_000
        while !isDone() {
            guard Clock.now < deadline else { throw LoadError("\(what) took more than \(plan.patienceSeconds) s") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
