/// Takes part in elections, and starts this node's terms.
extension Replica {
    /// A journal that briefly waits for its next segment is not short of space.
    private static var shortTolerance: Int64 { 1_000 }

    func measureSpace(at now: Int64) {
        shortSince = log?.isShort == true ? shortSince ?? now : nil
        election.isShort = shortSince.map { now - $0 >= Self.shortTolerance } ?? false
    }

    func perform(_ actions: [Election.Action]) {
        guard !actions.isEmpty else { return }
        for action in actions { perform(action) }
        publishStatus()
    }

    private func perform(_ action: Election.Action) {
        switch action {
        case .sendBeat: sendBeat()
        case .probeWriter(let term):
            bus.request([], to: ClusterSubjects.writer(of: term), milliseconds: Self.probeMilliseconds) { reply in
                self.queue.async { self.probed(term, reply) }
            }
        case .applyToEnd: seekEnd()
        case .startTerm(let term):
            guard let end = reader?.end, end.term + 1 == term else { return perform(election.lostAppend()) }
            log?.startTerm(cluster: cluster, writer: node, after: end, recordVersion: recordVersion)
        case .becomeWriter(let term, let pause):
            if pause == 0 { lead(term) } else { queue.after(milliseconds: Int(pause)) { self.lead(term) } }
            let position = WriterPosition(term: term.number, last: 0)
            writerSubscription = bus.serve(ClusterSubjects.writer(of: term)) { _, reply in
                // A process that hangs does not answer.
                self.queue.async { reply?(position.encoded) }
            }
        case .stepDown: stepDown()
        case .sendHandover(let successor, let term):
            hasReleased = true
            let position = WriterPosition(term: term, last: (reader?.next ?? 1) - 1)
            bus.publish(position.encoded, to: ClusterSubjects.handover(to: successor))
        }
    }

    /// Begins to decide.
    private func lead(_ term: LogTerm) {
        guard !hasEnded, election.role == .writer, election.term == term else { return }
        log?.becomeWriter()
        hasReleased = false
        hooks.began(term)
    }

    private func stepDown() {
        guard handover != nil, let log, log.isSettled else { return fail(.deposed) }
        // Nothing that this node decided is missing in the log, so it goes on as a follower.
        log.becomeFollower()
        writerSubscription = nil
        election.rejoin(at: clock())
        endHandover(isOver: true)
    }

    func lostAppend() {
        if election.role == .starting { log?.withdraw() }
        perform(election.lostAppend())
    }

    private func probed(_ term: LogTerm, _ reply: BusReply) {
        let result: Election.ProbeResult =
            switch reply {
            case .reply(let message): WriterPosition(message).map { .reply(term: $0.term) } ?? .silence
            case .nobody: .nobody
            case .silence: .silence
            }
        perform(election.probed(term, result, at: clock()))
    }
}
