import ChatDomain
import ChatModel
import Gateway

/// Reads on a node that does not decide, or does not know whether it still does.
extension ChatEngine {
    /// Runs a read as soon as this node can answer it: it has applied what it must see, and its caller exists.
    ///
    /// - Parameters:
    ///   - positions: What the client has seen. While this node has less, the read waits.
    ///   - seesLatest: Whether it must see everything acknowledged by any node before it arrived.
    ///   - body: Runs in this turn if there is nothing to wait for, otherwise in a later one.
    ///   - abandoned: Called instead of `body` if the read is refused.
    func whenReadable(
        _ caller: Caller, admitsNewcomer: Bool, seesLatest: Bool, positions: [Room: RoomPosition] = [:],
        _ address: ReturnAddress, waits: () -> Void = {}, abandoned: @escaping (ChatEngine) -> Void = { _ in },
        _ body: @escaping (ChatEngine) -> Rest?
    ) -> Rest? {
        guard let cluster, cluster.mustAsk || !hasSeen(positions) else { return body(self) }
        let isNew = admitsNewcomer && caller.user.map { !state.knows($0) } ?? false
        guard seesLatest || isNew else { return body(self) }
        guard !cluster.reads.isFull else {
            refuse(Rejection(.tooManyRequests, "reads waiting for the writing node"), address)
            return nil
        }
        waits()
        let payers = Payers(caller, admitsNewcomer, address)
        guard seesLatest else {
            admitElsewhere(caller, payers, address, abandoned, body)
            return nil
        }
        let asks = cluster.reads.add { engine, sight in
            engine.run(sight, positions, address, abandoned) { engine in
                engine.resume(caller, payers) { engine in
                    guard admitsNewcomer, let user = caller.user, !engine.state.knows(user), engine.relays else {
                        return body(engine)
                    }
                    engine.admitElsewhere(caller, payers, address, abandoned, body)
                    return nil
                }
            }
        }
        recordClusterMetrics()
        scheduleLateScan()
        if asks { askForLastFrame() }
        return nil
    }

    /// Runs a read that has waited, unless it must wait on.
    private func run(
        _ sight: WaitingReads.Sight, _ positions: [Room: RoomPosition], _ address: ReturnAddress,
        _ abandoned: @escaping (ChatEngine) -> Void, _ body: @escaping (ChatEngine) -> Void
    ) {
        switch sight {
        case .latest: body(self)
        case .local where hasSeen(positions): body(self)
        case .local:
            cluster?.reads.postpone(at: now(), until: { $0.hasSeen(positions) }) { engine, sight in
                engine.run(sight, [:], address, abandoned, body)
            }
            scheduleLateScan()
        case .behind:
            refuse(Rejection(.storageUnavailable, "this node is behind"), address)
            abandoned(self)
        }
    }

    /// Whether this node has everything that a client with these positions has seen.
    private func hasSeen(_ positions: [Room: RoomPosition]) -> Bool {
        positions.allSatisfy { room, position in
            state.position(of: room).map { $0.epoch != position.epoch || $0.offset >= position.offset } ?? false
        }
    }

    /// Lets the node that decides create the caller.
    private func admitElsewhere(
        _ caller: Caller, _ payers: Payers, _ address: ReturnAddress, _ abandoned: @escaping (ChatEngine) -> Void,
        _ body: @escaping (ChatEngine) -> Rest?
    ) {
        let continuation = ReadContinuation(body: body, abandoned: abandoned)
        let admitted = ReturnAddress(guestOrigin: address.guestOrigin) { [weak self] answer in
            guard let self else { return }
            runBetweenBatches {
                switch answer {
                case .success: self.resume(caller, payers, continuation.body)
                case .failure(let refusal):
                    self.refuse(refusal, address)
                    continuation.abandoned(self)
                }
            }
        }
        relay(AdmitUser(), as: caller, admitsNewcomer: true, admitted)
    }

    /// Runs a turn that was postponed, in its caller's lane.
    private func resume(_ caller: Caller, _ payers: Payers, _ body: @escaping (ChatEngine) -> Rest?) {
        let continuation = ReadContinuation(body: body) { _ in }
        intake.post(
            .work(Lane(caller), payers.payer, bytes: nil) {
                self.resumedTurn(payers) { continuation.body($0) }
            })
    }

    func askForLastFrame() {
        cluster?.port.findLastFrame { [weak self] frame in
            guard let self else { return }
            runBetweenBatches {
                guard let cluster = self.cluster else { return }
                let (run, asksAgain) = cluster.reads.answered(frame, applied: self.sequence, at: self.now())
                for read in run { read(self, frame == nil ? .local : .latest) }
                self.recordClusterMetrics()
                if asksAgain { self.askForLastFrame() }
            }
        }
    }

    /// Runs the reads that waited for what has just been applied.
    func runReads() {
        guard let cluster, cluster.reads.count > 0 else { return }
        for read in cluster.reads.applied(sequence) + cluster.reads.removeMet(by: self) { read(self, .latest) }
        recordClusterMetrics()
    }
}

/// The closures of a postponed read. Called on the engine's queue only.
private struct ReadContinuation: @unchecked Sendable {
    let body: (ChatEngine) -> ChatEngine.Rest?
    let abandoned: (ChatEngine) -> Void
}
