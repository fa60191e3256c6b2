import BelfryClient

/// A scenario that opens many idle connections and measures the server's memory per connection.
struct IdleRun {
    let plan: IdlePlan
    /// Processes for the clients; nil for as few as the descriptor limit allows.
    let processes: Int?
    let crowd: Crowd
    let server: ServerProcesses

    func run() async throws -> IdleResult {
        let group = try ShareGroup<IdleShare>(plan, clients: plan.users, processes: processes, crowd: crowd)
        defer { group.stop() }
        let owner = try crowd.sender(plan.name(of: 0), on: try Crowd.loops(1)[0])
        try await crowd.connect(owner)
        for room in plan.channels { try await crowd.create(room, by: owner) }
        owner.disconnect()
        _ = try await group.perform(.settle)
        try await Task.sleep(for: .seconds(plan.settleSeconds))
        var result = IdleResult(plan: plan, memoryBefore: try memory())
        result.processes = group.processCount
        for step in plan.steps {
            _ = try await group.perform(.connect, UInt64(step))
            try await Task.sleep(for: .seconds(plan.settleSeconds))
            let memory = try memory()
            result.steps.append(
                IdleResult.Step(
                    connections: step, memory: memory, bytesPerConnection: (memory - result.memoryBefore) / step))
        }
        for answer in try await group.perform(.finish) { result.found.merge(answer) }
        crowd.progress.clear()
        return result
    }

    private func memory() throws -> Int {
        guard let memory = server.memory else { throw LoadError("the server has exited") }
        return memory.now
    }
}
