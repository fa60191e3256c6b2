import BelfryClient

/// Some of a storm's clients.
struct StormShare: Share {
    static let name = "storm"

    struct Answer: Codable, Sendable {
        /// Clients that have heard the first message, been taken in again, recovered.
        var greeted = 0
        var connected = 0
        var recovered = 0
        /// At the end.
        var findings: StormFindings?
    }

    private struct Guest: Sendable {
        let subscriber: Subscriber
        let back: Return
    }

    private let plan: StormPlan
    private let crowd: Crowd
    private let tallies: [LoopTally]
    private let homecoming = Homecoming()
    private let guests: [Guest]

    init(_ plan: StormPlan, clients: Range<Int>, crowd: Crowd) throws {
        self.plan = plan
        self.crowd = crowd
        let (tallies, homecoming) = (try Crowd.loops(plan.loops).map { LoopTally($0, stretches: 1) }, homecoming)
        self.tallies = tallies
        guests = try clients.map {
            try Self.guest($0, plan, crowd, homecoming, tallies[$0 % tallies.count])
        }
    }

    func carryOut(_ order: ShareOrder) async throws -> Answer {
        switch order.step {
        case .settle:
            let rooms = guests.map(\.subscriber.channel)
            try await crowd.settle(guests.map(\.subscriber.name), on: tallies.map(\.loop)) { [rooms[$0]] }
        case .connect: try await crowd.each(guests, "connecting") { try await crowd.arrive($0.subscriber.client) }
        case .tell: break
        case .cut: for guest in guests { guest.subscriber.client.abort() }
        case .comeBack:
            homecoming.began.store(order.number, ordering: .releasing)
            let now = Clock.now
            if order.number > now { try await Task.sleep(for: .nanoseconds(Int64(order.number - now))) }
            for guest in guests { guest.subscriber.client.connect() }
        case .finish: return Answer(findings: await findings())
        }
        return Answer(
            greeted: tallies.delivered, connected: homecoming.connected.load(ordering: .relaxed),
            recovered: homecoming.recovered.load(ordering: .relaxed))
    }

    private func findings() async -> StormFindings {
        for guest in guests { await guest.subscriber.link.stop() }
        var findings = StormFindings()
        for guest in guests { findings.add(guest.subscriber, guest.back, messages: plan.messages) }
        return findings
    }

    private static func guest(
        _ number: Int, _ plan: StormPlan, _ crowd: Crowd, _ homecoming: Homecoming, _ tally: LoopTally
    ) throws -> Guest {
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
}
