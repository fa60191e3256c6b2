import BelfryClient
import Synchronization

/// A share of the idle clients, in one process.
final class IdleShare: Share {
    static let name = "idle"

    struct Answer: Codable, Sendable {
        var notConnected = 0
        var notTold = 0
        var lost = 0
        var problems = ProblemList()

        mutating func merge(_ other: Answer) {
            notConnected += other.notConnected
            notTold += other.notTold
            lost += other.lost
            problems.merge(other.problems)
        }
    }

    private let plan: IdlePlan
    private let users: Range<Int>
    private let crowd: Crowd
    private let loops: [ClientLoop]
    private let clients = Mutex<[WatchedClient]>([])

    init(_ plan: IdlePlan, clients: Range<Int>, crowd: Crowd) throws {
        self.plan = plan
        self.crowd = crowd
        users = clients
        loops = try Crowd.loops(plan.loops)
    }

    func perform(_ order: ShareOrder) async throws -> Answer {
        switch order.step {
        case .settle:
            // Users join a few at a time while nobody is connected, so that joining leaves little memory behind.
            // The first user has created the rooms.
            let joining = users.filter { $0 > 0 }
            try await crowd.settle(joining.map(plan.name), on: loops) { [rooms = plan.channels] _ in rooms }
        case .connect: try await connect(upTo: Int(clamping: order.number))
        case .finish: return await check()
        case .tell, .cut, .comeBack: break
        }
        return Answer()
    }

    /// Connects the same fraction of the users in every process.
    private func connect(upTo step: Int) async throws {
        let before = clients.withLock(\.count)
        let count = users.upperBound * step / plan.users - users.lowerBound * step / plan.users
        let arriving = try users.prefix(count).dropFirst(before).map { user in
            var configuration = try crowd.configuration(plan.name(of: user), number: user)
            configuration.loop = loops[user % loops.count]
            return try WatchedClient(name: plan.name(of: user), configuration: configuration)
        }
        try await crowd.each(arriving, "connecting up to \(step):") { [crowd] in try await crowd.connect($0.client) }
        clients.withLock { $0 += arriving }
    }

    private func check() async -> Answer {
        var answer = Answer()
        for watched in clients.withLock({ $0 }) {
            if let reason = watched.losses.all.first {
                answer.lost += 1
                answer.problems.add("\(watched.name) lost its connection: \(reason)")
            }
            var states = watched.client.states.makeAsyncIterator()
            guard case .connected(let info) = await states.next() else {
                answer.notConnected += 1
                answer.problems.add("\(watched.name) is not connected")
                continue
            }
            for room in plan.channels where !info.rooms.contains(room.rawValue) {
                answer.notTold += 1
                answer.problems.add("\(watched.name) was not subscribed to \(room)")
            }
        }
        return answer
    }
}
