import ChatDomain
import ChatModel
import Gateway

/// Admits commands, schedules their turns and charges for them.
extension ChatEngine {
    /// The remainder of a command after its turn.
    struct Rest {
        /// What to get first.
        let missing: MissingParts
        let run: (ChatEngine) -> Rest?

        init(after missing: MissingParts = MissingParts(), _ run: @escaping (ChatEngine) -> Rest?) {
            self.missing = missing
            self.run = run
        }
    }

    /// Whether some loop's delivery backlog is over its limit. Commands are the only lasting source of deliveries.
    ///
    /// - Parameter factor: Multiplies the limit; the app's backend gets a higher one.
    func isBacklogFull(factor: Int) -> Bool {
        ports.contains { $0.waitingCount > factor * limits.deliveriesWaiting }
    }

    /// Commands that are queued and not yet started. Call from any queue.
    package var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// Called by a loop after `deferWake`, once it has no more commands for now. Runs brief commands on the loop's thread
    /// if the engine is idle, and then writes them if the disk is quick.
    package func wake() {
        intake.wake()
        log.flush()
    }

    func enter(
        _ address: ReturnAddress, _ caller: Caller, _ admitsNewcomer: Bool = true, bytes: Int = 0,
        payers: Payers? = nil, isBrief: Bool = false, _ body: @escaping @Sendable (ChatEngine) -> Rest?
    ) {
        let payers = payers ?? Payers(caller, admitsNewcomer, address)
        let count = waiting.wrappingAdd(1, ordering: .relaxed).newValue
        let limit = payers.isServer ? limits.commandsWaitingWithReserve : limits.commandsWaiting
        guard count <= limit, !isBacklogFull(factor: payers.isServer ? 2 : 1) else { return refuseUnqueued(address) }
        let item = BatchQueue.Item.work(Lane(caller), payers.payer, bytes: bytes, isBrief: isBrief) {
            self.beginTurn()
            defer { self.isTimeRead = false }
            self.waiting.wrappingSubtract(1, ordering: .relaxed)
            self.metrics.commands.increment()
            self.metrics.waiting.record(count)
            if self.isOver(address) { return BatchQueue.Turn(cost: WorkCost.command) }
            if let wait = self.budgets.retryAfter(payers, now: self.now()) {
                self.metrics.overBudget.increment()
                if let user = caller.user {
                    self.metrics.usersOverBudget.record(self.debtors.record(user, retryAfter: wait, now: self.now()))
                }
                self.refuse(Rejection(.tooManyRequests, "work budget exceeded", retryAfterMilliseconds: wait), address)
                return BatchQueue.Turn(cost: WorkCost.command)
            }
            if self.backlog.isOver(payers.payer) {
                self.metrics.overBacklog.increment()
                let wait = PublisherBacklog.retryMilliseconds
                self.refuse(Rejection(.tooManyRequests, "unpublished events", retryAfterMilliseconds: wait), address)
                return BatchQueue.Turn(cost: WorkCost.command)
            }
            self.work.charge(WorkCost.command + bytes * WorkCost.commandByte)
            return self.turn(payers, bytes: bytes) { body($0) }
        }
        if !intake.post(item, wakes: !deferWake(for: address)) { refuseUnqueued(address) }
    }

    /// Refuses a command that has not been queued.
    private func refuseUnqueued(_ address: ReturnAddress) {
        waiting.wrappingSubtract(1, ordering: .relaxed)
        metrics.refusals.increment()
        deliver(.failure(Rejection(.tooManyRequests)), to: address)
    }

    /// Asks the loop of the connection to wake the engine at the end of its turn.
    private func deferWake(for address: ReturnAddress) -> Bool {
        guard case .connection(let connection, _) = address.recipient else { return false }
        return ports[connection.loop].deferWake()
    }

    /// Sends an answer that need not wait for the log. Call from any queue.
    package func deliver(_ answer: Answer, to address: ReturnAddress) {
        switch address.recipient {
        case .connection(let connection, let command):
            ports[connection.loop].deliver([.answered(connection, command: command, answer)])
        case .handler(let handle): handle(answer)
        case .node: runBetweenBatches { if !self.isOver(address) { self.answer(answer, to: address) } }
        }
    }

    /// Queues the engine's own work in the same lane as the server's commands.
    func post(_ body: @escaping @Sendable (ChatEngine) -> Void) {
        intake.post(
            .work(.server, .server, bytes: nil) {
                (self.payer, self.sender) = (.server, nil)
                body(self)
                return BatchQueue.Turn(cost: self.work.drain())
            })
    }

    // MARK: On `queue`

    /// Runs one turn of a command and charges it.
    private func turn(_ payers: Payers, bytes: Int, _ body: (ChatEngine) -> Rest?) -> BatchQueue.Turn {
        (payer, sender) = (payers.payer, payers.sender)
        let rest = body(self)
        let cost = work.drain()
        metrics.work.increment(by: cost)
        budgets.charge(payers, work: cost, bytes: bytes, now: now())
        guard let rest else { return BatchQueue.Turn(cost: cost) }
        if rest.missing.isEmpty {
            return BatchQueue.Turn(cost: cost) { self.resumedTurn(payers) { rest.run($0) } }
        }
        guard payers.isServer else {
            return BatchQueue.Turn(cost: cost, rest: { self.resumedTurn(payers) { rest.run($0) } }) { resume in
                self.load(rest.missing, resume)
            }
        }
        // The commands of all server keys share a lane, and do not wait for each other.
        let again = Postponed(rest: rest)
        load(rest.missing) {
            self.intake.post(
                .work(.server, payers.payer, bytes: nil) { self.resumedTurn(payers) { again.rest.run($0) } })
        }
        return BatchQueue.Turn(cost: cost)
    }

    /// Touched on `queue` only.
    private struct Postponed: @unchecked Sendable {
        let rest: Rest
    }

    /// Runs a turn of a command that was postponed, and charges it.
    func resumedTurn(_ payers: Payers, _ body: (ChatEngine) -> Rest?) -> BatchQueue.Turn {
        beginTurn()
        defer { isTimeRead = false }
        return turn(payers, bytes: 0, body)
    }

    /// Runs all turns of a command that has waited already.
    func finish(_ payers: Payers, _ body: (ChatEngine) -> Rest?) { finish(resumedTurn(payers, body)) }

    private func finish(_ turn: BatchQueue.Turn) {
        var turn = turn
        while let rest = turn.rest {
            guard let wait = turn.wait else {
                turn = rest()
                continue
            }
            let parked = Parked(rest: rest)
            return wait { self.intake.post(.betweenBatches { self.finish(parked.rest()) }) }
        }
    }

    /// Touched on `queue` only.
    private struct Parked: @unchecked Sendable {
        let rest: () -> BatchQueue.Turn
    }

    private func beginTurn() {
        _ = now()
        isTimeRead = true
    }
}
