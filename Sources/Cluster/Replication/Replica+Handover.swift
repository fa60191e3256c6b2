/// Passes the term to another node before an orderly stop.
extension Replica {
    /// A stop that waits for a successor.
    struct Handover {
        let done: @Sendable (_ isOver: Bool) -> Void
        let deadline: Int64
        var nextRequest: Int64
        var requests = 0
    }

    /// How long a handover may take, in milliseconds.
    private static var patience: Int64 { 2_000 }
    /// The pause before a writer whose clock is off tries again to hand over, in milliseconds.
    private static var yieldInterval: Int64 { 10_000 }
    /// The pause before the next follower is asked, in milliseconds.
    private static var requestInterval: Int64 { 250 }

    /// Hands over to the most advanced follower: refuses new reservations, waits until everything that the engine decided
    /// is in the log, and asks the follower to begin the next term. Callable from any queue.
    ///
    /// - Parameter done: Called once, on the replica's queue, with whether this node is the writer no longer: when the
    ///   successor's term is in the log, after 2 s, or at once if there is nothing to hand over or nobody to take over.
    ///   After the successor's term has begun, this node follows it; otherwise it is still the writer.
    package func handOver(_ done: @escaping @Sendable (_ isOver: Bool) -> Void) {
        queue.async { [self] in
            guard !hasEnded, handover == nil, isLeading, let log else { return done(true) }
            log.setAcceptsReservations(false)
            let now = clock()
            handover = Handover(done: done, deadline: now + Self.patience, nextRequest: now)
            continueHandover()
        }
    }

    /// Waits until everything that the engine has decided is in the log, or this node is the writer no longer. Callable from
    /// any queue. So an orderly stop leaves no message whose fate is unknown.
    ///
    /// - Parameter done: Called once, on the replica's queue. The caller bounds the wait.
    package func settle(_ done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            settling.append(done)
            endSettling()
        }
    }

    func endSettling() {
        guard hasEnded || !isLeading || log?.isSettled == true else { return }
        let settled = settling
        settling = []
        for done in settled { done() }
    }

    /// Reports that the clock of this node, which gives messages their times, is off. One other node alone cannot tell whose
    /// clock it is.
    func yieldIfClockIsOff(at now: Int64) {
        guard election.role == .writer, election.isClockOff, handover == nil, now >= nextYield,
            roster.clockDifferences(at: now).count > 1, !roster.successors(at: now).isEmpty
        else { return }
        nextYield = now + Self.yieldInterval
        hooks.clockOff()
    }

    func continueHandover() {
        guard let handover else { return }
        let now = clock()
        guard now < handover.deadline else { return endHandover() }
        guard now >= handover.nextRequest, log?.isSettled == true else { return }
        let successors = roster.successors(at: now)
        guard !successors.isEmpty else { return endHandover() }
        self.handover?.nextRequest = now + Self.requestInterval
        self.handover?.requests += 1
        perform(election.handOver(to: successors[handover.requests % successors.count]))
    }

    /// - Parameter isOver: Whether this node is the writer no longer.
    func endHandover(isOver: Bool = false) {
        guard let handover else { return }
        self.handover = nil
        log?.setAcceptsReservations(true)
        handover.done(isOver)
    }

    /// Receives the request of the writer that this node take over. The writer knows where the log ends, so the store need
    /// not be asked.
    func receiveHandover(_ position: WriterPosition) {
        guard !hasEnded, claim.state == .held else { return }
        learn(upTo: position.last)
        guard !election.receivedHandover(afterTerm: position.term).isEmpty else { return }
        isSeekingEnd = true
        goal = position.last
        proceed()
    }
}
