import BelfryClient

/// The parameters of a storm run, in which all clients are cut off, miss messages and reconnect simultaneously.
struct StormPlan: Codable, Sendable {
    /// Distinguishes the users, channels and messages of this run from those of others on the same server.
    let run: String
    let rooms: [ChannelID]
    var clients: Int
    /// Messages in each room before anyone listens.
    var history: Int
    /// Messages in each room while everyone is disconnected.
    var missed: Int
    var textBytes: Int
    var loops: Int
    /// Seconds to wait for everyone to recover.
    var patienceSeconds: Int
    var speaksTLS: Bool

    /// The messages in each room: one that everyone receives before the cut, and the missed ones.
    var messages: Int { 1 + missed }
    func room(of client: Int) -> Int { client % rooms.count }
    func name(of client: Int) -> String { "load-\(run)-s\(client)" }
}

/// A scenario that aborts all connections, sends messages meanwhile, and has all clients reconnect simultaneously.
struct StormRun {
    let plan: StormPlan
    /// Processes for the clients; nil for as few as the descriptor limit allows.
    let processes: Int?
    let crowd: Crowd
    let server: ServerProcesses

    /// Other descriptors that the server may have opened in the meantime.
    private static let otherFiles = 8

    func run() async throws -> StormResult {
        let group = try ShareGroup<StormShare>(plan, clients: plan.clients, processes: processes, crowd: crowd)
        defer { group.stop() }
        let host = try crowd.sender("load-\(plan.run)-host", on: try Crowd.loops(1)[0])
        try await crowd.connect(host)
        try await crowd.each(plan.rooms, "creating rooms") { try await crowd.create($0, by: host) }
        _ = try await group.perform(.settle)
        try await send(0..<plan.history, as: "\(plan.run)h", by: host, "filling rooms")
        _ = try await group.perform(.connect)
        try await send(0..<1, as: plan.run, by: host, "greeting")
        try await wait("delivery of the first message") {
            try await group.perform(.tell).reduce(0) { $0 + $1.greeted } >= plan.clients
        }
        var result = StormResult(plan: plan)
        result.processes = group.processCount
        try await cut(group, host, &result)
        try await reconnect(group, &result)
        crowd.progress.show("checking")
        let answers = try await group.perform(.finish)
        host.disconnect()
        for answer in answers { answer.findings.map { result.add($0) } }
        return result
    }

    /// Sends numbered messages to every room.
    private func send(_ messages: Range<Int>, as run: String, by host: BelfryClient, _ what: String) async throws {
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
        let descriptors = server.descriptors
        result.memoryBefore = server.memory?.now
        _ = try await group.perform(.cut)
        try await send(1..<plan.messages, as: plan.run, by: host, "sending missed messages")
        guard let descriptors else { return try await Task.sleep(for: .seconds(2)) }
        // The server must have closed the old connections before clients reconnect.
        try await wait("detection of the disconnects") {
            (server.descriptors ?? 0) <= descriptors - plan.clients + Self.otherFiles
        }
        result.memoryIsReset = server.resetPeaks()
        result.memoryAway = server.memory?.now
    }

    private func reconnect(_ group: ShareGroup<StormShare>, _ result: inout StormResult) async throws {
        let before = Sample(server: server, testers: group.pids)
        // Allow time for the order to reach all processes.
        _ = try await group.perform(.comeBack, Clock.now + (group.pids.isEmpty ? 0 : 200_000_000))
        let deadline = Clock.now + UInt64(plan.patienceSeconds) * 1_000_000_000
        while Clock.now < deadline {
            let answers = try await group.perform(.tell)
            let recovered = answers.reduce(0) { $0 + $1.recovered }
            if recovered >= plan.clients, answers.reduce(0, { $0 + $1.connected }) >= plan.clients { break }
            crowd.progress.show("recovered: \(recovered) of \(plan.clients)")
            try await Task.sleep(for: .milliseconds(10))
        }
        result.usage = Usage(from: before, to: Sample(server: server, testers: group.pids))
        // Allow time for duplicate deliveries to arrive.
        try await Task.sleep(for: .milliseconds(300))
        result.memoryPeak = server.memory?.peak
    }

    private func wait(_ what: String, until isDone: () async throws -> Bool) async throws {
        let deadline = Clock.now + UInt64(plan.patienceSeconds) * 1_000_000_000
        while try await !isDone() {
            guard Clock.now < deadline else { throw LoadError("\(what) took more than \(plan.patienceSeconds) s") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
