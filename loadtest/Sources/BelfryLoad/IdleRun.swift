import BelfryClient

/// What a run of idle connections does.
struct IdlePlan: Sendable, Encodable {
    /// Keeps this run's users and rooms apart from others on the same server.
    let run: String
    var steps: [Int]
    var rooms: Int
    var loops: Int
    var settleSeconds: Int

    var users: Int { steps.last ?? 0 }
    func name(of user: Int) -> String { "load-\(run)-i\(user)" }
}

/// Memory at each step, in bytes.
struct IdleResult: Encodable {
    struct Step: Encodable {
        let connections: Int
        let memory: Int
        let bytesPerConnection: Int
    }

    let scenario = "idle"
    let plan: IdlePlan
    let memoryBefore: Int
    var steps: [Step] = []
    var problems: [String] = []

    var table: String {
        var lines = [
            "idle: connections of users in \(plan.rooms) rooms, \(memoryBefore / 1_048_576) MiB with nobody connected"
        ]
        lines += steps.map { step in
            "\(step.connections) connections".padding(toLength: 20, withPad: " ", startingAt: 0)
                + "\((Double(step.bytesPerConnection) / 1_024).formatted(2)) KiB each, \(step.memory / 1_048_576) MiB in all"
        }
        lines += problems.map { "PROBLEM: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

struct IdleRun {
    let plan: IdlePlan
    let crowd: Crowd
    let serverPID: Int32

    func run() async throws -> IdleResult {
        let loops = try (0..<plan.loops).map { try ClientLoop(label: "belfry-load-\($0)") }
        let rooms = (0..<plan.rooms).compactMap { ChannelID("load-\(plan.run)-\($0)") }
        try await settleIn(rooms, loops)
        try await Task.sleep(for: .seconds(plan.settleSeconds))
        var result = IdleResult(plan: plan, memoryBefore: try memory())
        var clients: [(client: BelfryClient, losses: Losses, watch: Task<Void, Never>)] = []
        for step in plan.steps {
            let arriving = try (clients.count..<step).map { user in
                var configuration = try crowd.configuration(plan.name(of: user))
                configuration.loop = loops[user % loops.count]
                return try BelfryClient(configuration)
            }
            try await crowd.each(arriving, "connecting up to \(step):") { try await crowd.arrive($0) }
            clients += arriving.map { client in
                let (states, losses) = (client.states, Losses())
                return (client, losses, Task { for await state in states { losses.note(state) } })
            }
            try await Task.sleep(for: .seconds(plan.settleSeconds))
            let memory = try memory()
            result.steps.append(
                IdleResult.Step(
                    connections: step, memory: memory, bytesPerConnection: (memory - result.memoryBefore) / step))
        }
        for (number, (client, losses, watch)) in clients.enumerated() where result.problems.count < 20 {
            try await check(client, losses, rooms, plan.name(of: number), &result)
            watch.cancel()
        }
        crowd.progress.clear()
        return result
    }

    /// They join while nobody is there to be told, a few at a time, so that little memory is left behind by it.
    private func settleIn(_ rooms: [ChannelID], _ loops: [ClientLoop]) async throws {
        let owner = try crowd.sender(plan.name(of: 0), on: loops[0])
        try await crowd.arrive(owner)
        for room in rooms { try await crowd.create(room, by: owner) }
        owner.disconnect()
        try await crowd.each(Array(1..<max(2, plan.users)), "joining") { user in
            let client = try crowd.sender(plan.name(of: user), on: loops[user % loops.count])
            try await crowd.arrive(client)
            for room in rooms { try await crowd.join(client, room) }
            client.disconnect()
        }
    }

    private func check(
        _ client: BelfryClient, _ losses: Losses, _ rooms: [ChannelID], _ name: String, _ result: inout IdleResult
    ) async throws {
        if let reason = losses.all.first { result.problems.append("\(name) lost its connection: \(reason)") }
        var states = client.states.makeAsyncIterator()
        guard case .connected(let info) = await states.next() else {
            return result.problems.append("\(name) is not connected")
        }
        for room in rooms where !info.rooms.contains(room.rawValue) {
            result.problems.append("\(name) was not told of \(room)")
        }
    }

    private func memory() throws -> Int {
        guard let memory = ProcessTime.memory(of: serverPID) else { throw LoadError("the server has ended") }
        return memory.now
    }
}
