import ChatDomain
import ChatModel
import Gateway
import Journal

/// Commands on a node that does not decide: they go to the node that does. This node answers them once the log shows their
/// outcome, so that an answer never precedes the state that it describes, and survives the other node.
extension ChatEngine {
    private static var lateScanMilliseconds: Int { 1_000 }

    /// Makes this the engine of a cluster's node. Call it once, before the first command.
    package func join(_ port: any ClusterPort) {
        cluster = ClusterSide(port, limits.relay)
        publisher.join(port)
    }

    /// Another node's term began, and this node has applied everything before it. Callable from any queue.
    package func follow(term: UInt64) {
        runBetweenBatches {
            guard let cluster = self.cluster else { return }
            cluster.term = term
            cluster.yielded.removeAll { self.isOver($0.address) }
            cluster.port.restartRelay(cluster.relayed.commands, in: term)
        }
    }

    /// This node's term began, and it has applied everything before it. Callable from any queue.
    package func lead(term: UInt64) {
        runBetweenBatches {
            guard let cluster = self.cluster else { return }
            (cluster.isWriter, cluster.term) = (true, term)
            cluster.port.restartRelay([], in: term)
            // All turns at once: what clients send next must not overtake them.
            self.log.batch {
                for entry in cluster.relayed.removeAll() { entry.carryOut(self) }
                let yielded = cluster.yielded
                cluster.yielded = []
                for (address, carryOut) in yielded where !self.isOver(address) { carryOut(self) }
            }
            for read in cluster.reads.removeAll() { read(self, .latest) }
        }
    }

    /// Stops deciding, because another node is about to. Commands wait for its term. Callable from any queue.
    ///
    /// - Parameter done: Called on the engine's queue.
    package func yieldTerm(_ done: @escaping @Sendable () -> Void) {
        runBetweenBatches {
            self.cluster?.isWriter = false
            done()
        }
    }

    /// Refuses another node's command that cannot be carried out. Callable from any queue.
    package func refuse(_ refusal: Rejection, relayedBy address: ReturnAddress) {
        metrics.refusals.increment()
        deliver(.failure(refusal), to: address)
    }

    /// Runs a closure once this node has applied everything that any node acknowledged before. Callable from any queue.
    ///
    /// - Parameter body: Receives false if that takes too long.
    package func catchUp(_ body: @escaping @Sendable (_ isCurrent: Bool) -> Void) {
        runBetweenBatches {
            guard let cluster = self.cluster else { return body(true) }
            // Another node may have acknowledged what this one has not published yet.
            guard cluster.mustAsk else { return self.afterPublishing { body(true) } }
            guard !cluster.reads.isFull else { return body(false) }
            let asks = cluster.reads.add { engine, sight in
                let isCurrent = sight != .behind
                if engine.relays { body(isCurrent) } else { engine.afterPublishing { body(isCurrent) } }
            }
            self.recordClusterMetrics()
            self.scheduleLateScan()
            if asks { self.askForLastFrame() }
        }
    }

    // MARK: On `queue`

    /// Runs a closure on the log's queue once everything so far is durable and published.
    func afterPublishing(_ body: @escaping @Sendable () -> Void) {
        let published = ReturnAddress { _ in body() }
        log.mark(Outcome(effects: [], answer: .command(published, .failure(Rejection(.internal)))))
    }

    /// Whether another node's command arrived in a term that is over. It must not take effect: the other node knows the
    /// outcome by now, or sends the command again.
    func isOver(_ address: ReturnAddress) -> Bool {
        guard case .node(let command) = address.recipient, let cluster else { return false }
        guard command.term < cluster.term else { return false }
        command.abandoned()
        return true
    }

    /// Whether this node must not decide.
    var relays: Bool { cluster.map { !$0.isWriter } ?? false }

    func relay<C: Change>(
        _ change: C, as caller: Caller, admitsNewcomer: Bool, _ address: ReturnAddress
    ) {
        guard let cluster else { return }
        let carryOut: (ChatEngine) -> Void = { engine in
            if let guest = change as? AdmitGuest, let origin = address.guestOrigin {
                let payers = Payers.guest(guest.id, address: origin.block)
                return engine.finish(payers) { $0.begin(guest, of: origin, address) }
            }
            engine.finish(Payers(caller, admitsNewcomer, address)) {
                $0.begin(change, as: caller, admitsNewcomer, address)
            }
        }
        // Another node's command must not become this node's too: it would take effect twice.
        guard address.origin == nil else { return cluster.yielded.append((address, carryOut)) }
        guard !cluster.relayed.isFull else {
            return refuse(Rejection(.tooManyRequests, "commands sent to the writing node"), address)
        }
        guard !cluster.relayed.isStalled(at: now()) else {
            return refuse(Rejection(.storageUnavailable, "the writing node does not answer"), address)
        }
        let command = RelayedCommand(
            serial: cluster.relayed.nextSerial, method: C.method, request: publisher.encoder.encode(change),
            caller: caller, admitsNewcomer: admitsNewcomer, guestOrigin: address.guestOrigin,
            claim: address.claim?.request)
        guard command.request.count <= RelayedCommand.sizeLimit else {
            return refuse(Rejection(.tooMany, "bytes of one command"), address)
        }
        cluster.relayed.add(
            RelayedCommands.Entry(
                command: command, since: now(), address: address,
                respond: { engine, context, records throws(Rejection) in
                    try change.response(from: engine.state, context, after: records)
                },
                carryOut: carryOut))
        cluster.port.relay(command)
        recordClusterMetrics()
        scheduleLateScan()
    }

    /// Words the answer to this node's own command after its records have been applied.
    ///
    /// - Parameter knewCaller: Whether the caller existed before.
    func answer(to frame: LoggedFrame, _ entry: RelayedCommands.Entry, knewCaller: Bool) -> Answer {
        if let refusal = frame.refusal { return .failure(Rejection(encoded: refusal)) }
        var records = frame.records[...]
        // The record that admitted the caller is not the command's own.
        if !knewCaller, case .userCreated(let created)? = records.first?.event,
            created.id == entry.command.caller.user
        {
            records = records.dropFirst()
        }
        let context = Context(
            caller: entry.command.caller, now: records.last?.at ?? now(), freshID: frame.freshID ?? ids.last,
            settings: settings, presence: live.presence, work: work)
        do throws(Rejection) {
            return .success(try entry.respond(self, context, Array(records)))
        } catch {
            return .failure(error)
        }
    }

    func recordClusterMetrics() {
        guard let cluster else { return }
        metrics.commandsRelayed.record(cluster.relayed.count)
        metrics.readsWaiting.record(cluster.reads.count)
    }

    /// Runs once a second while anything waits for another node.
    func scheduleLateScan() {
        guard let cluster, !cluster.isLateScanScheduled, !cluster.relayed.isEmpty || cluster.reads.count > 0
        else { return }
        cluster.isLateScanScheduled = true
        later(Self.lateScanMilliseconds) { engine in
            engine.cluster?.isLateScanScheduled = false
            engine.endLateWaits()
            engine.scheduleLateScan()
        }
    }

    private func endLateWaits() {
        guard let cluster else { return }
        let late = cluster.relayed.removeLate(at: now())
        for entry in late { refuse(Rejection(.outcomeUnknown), entry.address) }
        if let last = late.last { cluster.port.forgetRelayed(through: last.command.serial) }
        for read in cluster.reads.removeLate(at: now()) { read(self, .behind) }
        recordClusterMetrics()
    }
}
