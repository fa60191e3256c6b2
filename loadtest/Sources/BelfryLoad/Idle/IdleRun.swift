import BelfryClient

/// Many connections that do nothing, and the server's memory for each.
struct IdleRun {
    let plan: IdlePlan
    let crowd: Crowd
    let serverPID: Int32

    func run() async throws -> IdleResult {
        let loops = try Crowd.loops(plan.loops)
        let rooms = (0..<plan.rooms).compactMap { ChannelID("load-\(plan.run)-\($0)") }
        try await settleIn(rooms, loops)
        try await Task.sleep(for: .seconds(plan.settleSeconds))
        var result = IdleResult(plan: plan, memoryBefore: try memory())
        var clients: [WatchedClient] = []
        for step in plan.steps {
            let arriving = try (clients.count..<step).map { user in
                var configuration = try crowd.configuration(plan.name(of: user))
                configuration.loop = loops[user % loops.count]
                return try WatchedClient(name: plan.name(of: user), configuration: configuration)
            }
            try await crowd.each(arriving, "connecting up to \(step):") { try await crowd.arrive($0.client) }
            clients += arriving
            try await Task.sleep(for: .seconds(plan.settleSeconds))
            let memory = try memory()
            result.steps.append(
                IdleResult.Step(
                    connections: step, memory: memory, bytesPerConnection: (memory - result.memoryBefore) / step))
        }
        for client in clients { await check(client, rooms, &result) }
        crowd.progress.clear()
        return result
    }

    /// They join while nobody is there to be told, a few at a time, so that little memory is left behind by it.
    private func settleIn(_ rooms: [ChannelID], _ loops: [ClientLoop]) async throws {
        let owner = try crowd.sender(plan.name(of: 0), on: loops[0])
        try await crowd.arrive(owner)
        for room in rooms { try await crowd.create(room, by: owner) }
        owner.disconnect()
        try await crowd.settle((1..<max(2, plan.users)).map(plan.name), on: loops) { _ in rooms }
    }

    private func check(_ watched: WatchedClient, _ rooms: [ChannelID], _ result: inout IdleResult) async {
        if let reason = watched.losses.all.first {
            result.lost += 1
            result.problems.add("\(watched.name) lost its connection: \(reason)")
        }
        var states = watched.client.states.makeAsyncIterator()
        guard case .connected(let info) = await states.next() else {
            result.notConnected += 1
            return result.problems.add("\(watched.name) is not connected")
        }
        for room in rooms where !info.rooms.contains(room.rawValue) {
            result.notTold += 1
            result.problems.add("\(watched.name) was not told of \(room)")
        }
    }

    private func memory() throws -> Int {
        guard let memory = ProcessTime.memory(of: serverPID) else { throw LoadError("the server has ended") }
        return memory.now
    }
}
