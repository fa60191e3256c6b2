import BelfryClient

/// Cuts everyone off at once, lets them miss something, and lets them come back at once.
struct StormRun {
    let plan: StormPlan
    /// How many for the clients; nil for as few as the limit of descriptors asks for.
    let processes: Int?
    let crowd: Crowd
    /// The server's process; nil when it cannot be seen.
    let serverPID: Int32?

    /// What the server may have opened meanwhile besides.
    private static let otherFiles = 8

    func run() async throws -> StormResult {
        let group = try ShareGroup<StormShare>(plan, clients: plan.clients, processes: processes, crowd: crowd)
        defer { group.stop() }
        let host = try crowd.sender("load-\(plan.run)-host", on: try Crowd.loops(1)[0])
        try await crowd.arrive(host)
        try await crowd.each(plan.rooms, "making rooms") { try await crowd.create($0, by: host) }
        _ = try await group.carryOut(.settle)
        try await say(0..<plan.history, as: "\(plan.run)h", by: host, "filling rooms")
        _ = try await group.carryOut(.connect)
        try await say(0..<1, as: plan.run, by: host, "greeting")
        try await wait("hearing the first message") {
            try await group.carryOut(.tell).reduce(0) { $0 + $1.greeted } >= plan.clients
        }
        var result = StormResult(plan: plan)
        result.processes = group.processCount
        try await cut(group, host, &result)
        try await comeBack(group, &result)
        crowd.progress.show("checking")
        let answers = try await group.carryOut(.finish)
        host.disconnect()
        for answer in answers { answer.findings.map { result.add($0) } }
        return result
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

    private func cut(_ group: ShareGroup<StormShare>, _ host: BelfryClient, _ result: inout StormResult) async throws {
        let descriptors = serverPID.flatMap(ProcessTime.descriptors)
        result.memoryBefore = serverPID.flatMap(ProcessTime.memory)?.now
        _ = try await group.carryOut(.cut)
        try await say(1..<plan.messages, as: plan.run, by: host, "sending what is missed")
        guard let serverPID, let descriptors else { return try await Task.sleep(for: .seconds(2)) }
        // Who comes back is to find the server without the old connections.
        try await wait("the server noticing that all are gone") {
            (ProcessTime.descriptors(of: serverPID) ?? 0) <= descriptors - plan.clients + Self.otherFiles
        }
        result.memoryIsReset = ProcessTime.resetPeak(of: serverPID)
        result.memoryAway = ProcessTime.memory(of: serverPID)?.now
    }

    private func comeBack(_ group: ShareGroup<StormShare>, _ result: inout StormResult) async throws {
        let before = Sample(serverPID: serverPID, testers: group.pids)
        // A moment for all processes to be told.
        _ = try await group.carryOut(.comeBack, Clock.now + (group.pids.isEmpty ? 0 : 200_000_000))
        let deadline = Clock.now + UInt64(plan.patienceSeconds) * 1_000_000_000
        while Clock.now < deadline {
            let answers = try await group.carryOut(.tell)
            let recovered = answers.reduce(0) { $0 + $1.recovered }
            if recovered >= plan.clients, answers.reduce(0, { $0 + $1.connected }) >= plan.clients { break }
            crowd.progress.show("back: \(recovered) of \(plan.clients)")
            try await Task.sleep(for: .milliseconds(10))
        }
        result.usage = Usage(from: before, to: Sample(serverPID: serverPID, testers: group.pids))
        // Nothing may come that was not missed: a doubled delivery would come late.
        try await Task.sleep(for: .milliseconds(300))
        result.memoryPeak = serverPID.flatMap(ProcessTime.memory)?.peak
    }

    private func wait(_ what: String, until isDone: () async throws -> Bool) async throws {
        let deadline = Clock.now + UInt64(plan.patienceSeconds) * 1_000_000_000
        while try await !isDone() {
            guard Clock.now < deadline else { throw LoadError("\(what) took more than \(plan.patienceSeconds) s") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
