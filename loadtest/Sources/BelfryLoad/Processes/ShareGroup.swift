/// All shares of a run: one in this process, or several in processes of their own.
enum ShareGroup<S: Share>: Sendable {
    case here(S)
    case processes([WorkerProcess])

    /// - Parameter processes: How many are wished for; nil for as few as the limit of descriptors asks for.
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
                    plan: plan, first: clients.lowerBound, end: clients.upperBound, url: crowd.url,
                    trustFile: crowd.trustFile, concurrency: max(1, crowd.concurrency / ranges.count))
                workers.append(try WorkerProcess(S.name, brief, secret: crowd.tokens.secret))
            }
        } catch {
            for worker in workers { worker.stop() }
            throw error
        }
        self = .processes(workers)
    }

    /// Has everyone do it at the same time.
    ///
    /// - Returns: Their answers, in the order of the clients.
    func carryOut(
        _ step: ShareOrder.Step, _ number: UInt64 = 0, excusing excused: [Int] = []
    ) async throws -> [S.Answer] {
        let order = ShareOrder(step: step, number: number, excused: excused)
        switch self {
        case .here(let share): return [try await share.carryOut(order)]
        case .processes(let workers):
            return try await withThrowingTaskGroup(of: (Int, S.Answer).self) { group in
                for (index, worker) in workers.enumerated() {
                    group.addTask { (index, try await worker.ask(order, for: S.Answer.self)) }
                }
                var answers: [(Int, S.Answer)] = []
                for try await answer in group { answers.append(answer) }
                return answers.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
    }

    /// Processes whose CPU time is the tester's, besides this one.
    var pids: [Int32] {
        switch self {
        case .here: []
        case .processes(let workers): workers.map(\.pid)
        }
    }

    /// How many processes the clients live in.
    var processCount: Int { max(1, pids.count) }

    func stop() {
        if case .processes(let workers) = self {
            for worker in workers { worker.stop() }
        }
    }
}
