import BelfryClient
import Foundation

/// The parameters of a churn run.
struct ChurnPlan: Sendable {
    /// Distinguishes the users and channel of this run from those of others on the same server.
    let run: String
    let channel: ChannelID
    /// Concurrent visits; when one ends, the next begins.
    var concurrency: Int
    /// The number of users, who take turns so that the chat's state does not grow with the visits.
    var users: Int
    /// Every n-th visit joins the room and leaves it; 0 for none.
    var joinEvery: Int
    var pace: Pace
    var loops: Int
    /// Seconds for the server to close the connections.
    var settleSeconds: Int
    var speaksTLS: Bool

    func name(of user: Int) -> String { "load-\(run)-v\(user)" }
}

/// A scenario in which clients connect and disconnect concurrently, and some join and leave a room.
struct ChurnRun {
    let plan: ChurnPlan
    let crowd: Crowd
    let server: ServerProcesses

    func run() async throws -> ChurnResult {
        let loops = try Crowd.loops(plan.loops)
        let host = try crowd.sender("load-\(plan.run)-host", on: loops[0])
        try await crowd.gather([host], in: plan.channel, "the host")
        // Every user visits once before memory is measured, because the server keeps users but not connections.
        try await crowd.each(Array(0..<plan.users), "first visits of") { [plan] user in
            let client = try crowd.sender(plan.name(of: user), number: user, on: loops[user % loops.count])
            try await crowd.connect(client)
            if plan.joinEvery > 0 {
                try await crowd.join(client, plan.channel)
                _ = try await client.call(LeaveChannel(channelID: plan.channel))
            }
            client.disconnect()
        }
        var result = ChurnResult(plan: plan)
        // The first visits grow the allocator's caches, so they are not part of the comparison.
        result.add(try await visits(loops, seconds: max(1, plan.pace.warmupSeconds), isMeasured: false))
        try await settle(to: nil)
        let before = Footprint(server)
        result.add(try await visits(loops, seconds: plan.pace.seconds, isMeasured: true, usage: &result.usage))
        try await settle(to: before)
        result.compare(before, Footprint(server))
        result.membersLeft = try await members(seenBy: host)
        host.disconnect()
        return result
    }

    private func visits(_ loops: [ClientLoop], seconds: Int, isMeasured: Bool) async throws -> ChurnLedger {
        var usage: Usage?
        return try await visits(loops, seconds: seconds, isMeasured: isMeasured, usage: &usage)
    }

    private func visits(
        _ loops: [ClientLoop], seconds: Int, isMeasured: Bool, usage: inout Usage?
    ) async throws -> ChurnLedger {
        let start = Clock.now
        let end = start + UInt64(seconds) * 1_000_000_000
        let ledger = ChurnLedger(measured: isMeasured ? start : .max, pace: plan.pace)
        let before = Sample(server: server)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<plan.concurrency {
                group.addTask {
                    while Clock.now < end {
                        let number = ledger.number.add(1, ordering: .relaxed).oldValue
                        await visit(number, on: loops[number % loops.count], ledger)
                        if number % 256 == 0 { crowd.progress.show("\(number) visits") }
                    }
                }
            }
        }
        usage = Usage(from: before, to: Sample(server: server))
        return ledger
    }

    private func visit(_ number: Int, on loop: ClientLoop, _ ledger: ChurnLedger) async {
        let began = Clock.now
        do {
            let client = try crowd.sender(plan.name(of: number % plan.users), number: number, on: loop)
            client.connect()
            defer { client.disconnect() }
            try await client.connected()
            ledger.recordConnect(began: began, took: Clock.since(began))
            guard plan.joinEvery > 0, number % plan.joinEvery == 0 else { return }
            let joining = Clock.now
            _ = try await client.call(JoinChannel(channelID: plan.channel))
            ledger.recordJoin(began: joining, took: Clock.since(joining))
            _ = try await client.call(LeaveChannel(channelID: plan.channel))
        } catch {
            ledger.recordFailure("visit \(number): \(error)")
        }
    }

    /// Waits until the server has closed the connections.
    private func settle(to before: Footprint?) async throws {
        try await Task.sleep(for: .seconds(1))
        guard let descriptors = before?.descriptors else { return }
        let deadline = Clock.now + UInt64(plan.settleSeconds) * 1_000_000_000
        while (server.descriptors ?? 0) > descriptors, Clock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func members(seenBy host: BelfryClient) async throws -> Int {
        try await host.call(GetChannel(channelID: plan.channel)).channel.joinedMemberCount - 1
    }
}

/// The resources of the server's processes.
struct Footprint: Equatable {
    /// Bytes.
    var memory: Int?
    var descriptors: Int?

    init(memory: Int?, descriptors: Int?) {
        self.memory = memory
        self.descriptors = descriptors
    }

    init(_ server: ServerProcesses) {
        self.init(memory: server.memory?.now, descriptors: server.descriptors)
    }

    /// The kernel counts pages, and the allocator keeps some of what was freed.
    static let slack = 16_777_216
    /// Bytes per visit that the server may keep in addition.
    static let bytesPerVisit = 64
    /// Descriptors that a server opens for itself.
    static let otherFiles = 2

    /// Descriptions of resources that were not released.
    func leaks(since before: Footprint, visits: Int) -> [String] {
        var leaks: [String] = []
        if let memory, let old = before.memory, memory - old > Self.slack + Self.bytesPerVisit * visits {
            leaks.append("the server's memory grew by \((memory - old) / 1_024) KiB over \(visits) visits")
        }
        if let descriptors, let old = before.descriptors, descriptors > old + Self.otherFiles {
            leaks.append("the server has \(descriptors) open descriptors; before \(visits) visits it had \(old)")
        }
        return leaks
    }
}
