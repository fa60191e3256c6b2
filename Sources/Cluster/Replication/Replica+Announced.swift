import Gateway

/// Tells the others what this node has announced to its connections, and compares it with what they did.
extension Replica {
    /// Somebody who waits until every live node has announced a frame.
    struct Waiting {
        let frame: UInt64
        let since: Int64
        let done: @Sendable () -> Void
    }

    /// The time that a sum in a beat covers, in milliseconds, so that several beats may be lost.
    private static var spanMilliseconds: Int64 { 1_000 }
    /// How long the bus must have been steady before what the others announced decides, in milliseconds: a few beats.
    private static var acquaintance: Int64 { 1_000 }
    /// A live node that is behind for so long has closed its sessions, in milliseconds.
    private static var longestWait: Int64 { ReplicaStatus.cutOffSilence + 5_000 }

    /// Calls back once every live node has announced the frame, or has been behind for so long that it has closed its
    /// sessions. Callable from any queue.
    ///
    /// - Parameter done: Called once, on the replica's queue.
    package func whenEverywhere(_ frame: UInt64, _ done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            guard !hasEnded else { return done() }
            waiting.append(Waiting(frame: frame, since: clock(), done: done))
            checkWaiting()
        }
    }

    /// Sends a beat with the next tick, because another node may wait for this one. Callable from any queue.
    package func tellProgress() { queue.async { self.nextBeat = 0 } }

    func checkWaiting() {
        guard !waiting.isEmpty else { return }
        let now = clock()
        let least = roster.live(at: now).map(\.beat.announcedFrame).min() ?? .max
        let isOver = { (one: Waiting) in one.frame <= least || now - one.since >= Self.longestWait }
        let over = waiting.filter(isOver)
        guard !over.isEmpty else { return }
        waiting.removeAll(where: isOver)
        for one in over { one.done() }
    }

    func endWaiting() {
        let over = waiting
        waiting = []
        for one in over { one.done() }
    }

    /// The sum for the next beat.
    func announcedSpan() -> AnnouncedSum? {
        guard let announced else { return nil }
        let (now, last) = (clock(), announced.lastFrame)
        spanStarts.append((now, last))
        while spanStarts.count > 1, now - spanStarts[1].time >= Self.spanMilliseconds { spanStarts.removeFirst() }
        let after = min(last, max(announced.firstFrame, spanStarts[0].frame))
        return announced.sum(after: after, through: last).map { .init(after: after, through: last, sum: $0) }
    }

    func compare(_ beat: NodeBeat, at now: Int64) {
        guard let announced, let span = beat.span, roster.knows(beat.node), facts.announces(like: beat.facts) else {
            return
        }
        divergence.receive(span, from: beat.node, comparing: announced, at: now)
    }

    /// Leaves if this node is on the wrong side.
    func checkDivergence(at now: Int64) {
        guard let announced else { return }
        divergence.compare(with: announced, at: now)
        divergence.keep { roster.isLive($0, at: now) }
        // A node that has just started may have heard only one side.
        guard now - busSteadySince >= Self.acquaintance else { return }
        let alike = roster.live(at: now).map(\.beat).filter { facts.announces(like: $0.facts) }.map(\.node)
        if divergence.mustLeave(reader?.term?.writer, among: alike, at: now) { fail(.otherEvents) }
    }
}
