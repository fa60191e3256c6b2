import BelfryClient

/// A share of a storm's clients, in one process.
struct StormShare: Share {
    static let name = "storm"

    struct Answer: Codable, Sendable {
        /// The numbers of clients that have received the first message, reconnected and recovered.
        var greeted = 0
        var connected = 0
        var recovered = 0
        /// The findings at the end of the run.
        var findings: StormFindings?
    }

    private struct Guest: Sendable {
        let subscriber: Subscriber
        let back: ClientReturn
    }

    private let plan: StormPlan
    private let crowd: Crowd
    private let tallies: [LoopTally]
    private let reconnection = Reconnection()
    private let guests: [Guest]

    init(_ plan: StormPlan, clients: Range<Int>, crowd: Crowd) throws {
        self.plan = plan
        self.crowd = crowd
        let (tallies, reconnection) = (try Crowd.loops(plan.loops).map { LoopTally($0, stretches: 1) }, reconnection)
        self.tallies = tallies
        guests = try clients.map {
            try Self.guest($0, plan, crowd, reconnection, tallies[$0 % tallies.count])
        }
    }

    func perform(_ order: ShareOrder) async throws -> Answer {
        switch order.step {
        case .settle:
            let rooms = guests.map(\.subscriber.channel)
            try await crowd.settle(guests.map(\.subscriber.name), on: tallies.map(\.loop)) { [rooms[$0]] }
        case .connect: try await crowd.each(guests, "connecting") { try await crowd.connect($0.subscriber.client) }
        case .tell: break
        case .cut: for guest in guests { guest.subscriber.client.abort() }
        case .comeBack:
            reconnection.began.store(order.number, ordering: .releasing)
            let now = Clock.now
            if order.number > now { try await Task.sleep(for: .nanoseconds(Int64(order.number - now))) }
            for guest in guests { guest.subscriber.client.connect() }
        case .finish: return Answer(findings: await findings())
        }
        return Answer(
            greeted: tallies.delivered, connected: reconnection.connected.load(ordering: .relaxed),
            recovered: reconnection.recovered.load(ordering: .relaxed))
    }

    private func findings() async -> StormFindings {
        for guest in guests { await guest.subscriber.link.stop() }
        var findings = StormFindings()
        for guest in guests { findings.add(guest.subscriber, guest.back, messages: plan.messages) }
        return findings
    }

    private static func guest(
        _ number: Int, _ plan: StormPlan, _ crowd: Crowd, _ reconnection: Reconnection, _ tally: LoopTally
    ) throws -> Guest {
        let (channel, messages) = (plan.rooms[plan.room(of: number)], plan.messages)
        let back = ClientReturn()
        var configuration = try crowd.configuration(plan.name(of: number), number: number)
        configuration.loop = tally.loop
        configuration.onSubscribed = { room, recovered, _ in
            guard room == channel.rawValue, let elapsed = reconnection.elapsed else { return }
            if back.connected == nil { reconnection.connected.add(1, ordering: .relaxed) }
            back.recordConnected(after: elapsed, recovered: recovered)
        }
        let subscriber = try Subscriber(
            name: plan.name(of: number), configuration: configuration, channel: channel, run: plan.run,
            messages: messages
        ) { _, ledger in
            tally.recordDelivery(after: 0, in: nil)
            guard ledger.heard == messages, let elapsed = reconnection.elapsed else { return }
            if back.recovered == nil { reconnection.recovered.add(1, ordering: .relaxed) }
            back.recordRecovered(after: elapsed)
        }
        return Guest(subscriber: subscriber, back: back)
    }
}
