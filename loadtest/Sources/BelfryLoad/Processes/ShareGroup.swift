/// All shares of a run: one in this process, or several in worker processes.
enum ShareGroup<S: Share>: Sendable {
    case here(S)
    case processes([WorkerProcess])

    /// - Parameter processes: The requested number of processes; nil for as few as the descriptor limit allows.
    init(_ plan: S.Plan, clients: Int, processes: Int?, crowd: Crowd) throws {
        let ranges = ShareSplit.ranges(of: clients, limit: FileLimit.raised(), processes: processes)
        guard ranges.count > 1 else {
            self = .here(try S(plan, clients: 0..<clients, crowd: crowd))
            return
        }
        var workers: [WorkerProcess] = []
        do {
            for clients in ranges {
                let brief = WorkerBrief(
                    plan: plan, first: clients.lowerBound, end: clients.upperBound, urls: crowd.urls,
                    trustFile: crowd.trustFile, concurrency: max(1, crowd.concurrency / ranges.count))
                workers.append(try WorkerProcess(S.name, brief, secret: crowd.tokens.secret))
            }
        } catch {
            for worker in workers { worker.stop() }
            throw error
        }
        self = .processes(workers)
    }

    /// Performs a step in all shares concurrently.
    ///
    /// - Returns: The replies, in the order of the clients.
    func perform(
        _ step: ShareOrder.Step, _ number: UInt64 = 0, excusing excused: [Int] = []
    ) async throws -> [S.Answer] {
        let order = ShareOrder(step: step, number: number, excused: excused)
        switch self {
        case .here(let share): return [try await share.perform(order)]
        case .processes(let workers):
            return try await withThrowingTaskGroup(of: (Int, S.Answer).self) { group in
                for (index, worker) in workers.enumerated() {
                    group.addTask { (index, try await worker.perform(order, for: S.Answer.self)) }
                }
                var answers: [(Int, S.Answer)] = []
                for try await answer in group { answers.append(answer) }
                return answers.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
    }

    /// The tester's other processes, whose CPU time counts as its own.
    var pids: [Int32] {
        switch self {
        case .here: []
        case .processes(let workers): workers.map(\.pid)
        }
    }

    /// The number of processes with clients.
    var processCount: Int { max(1, pids.count) }

    func stop() {
        if case .processes(let workers) = self {
            for worker in workers { worker.stop() }
        }
    }
}
