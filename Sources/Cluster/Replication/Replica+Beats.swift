/// Tells the other nodes about this one, and listens to them.
extension Replica {
    func listen() {
        subscriptions = [
            bus.serve(ClusterSubjects.beats) { message, _ in
                self.queue.async { self.receive(message) }
            },
            bus.serve(ClusterSubjects.handover(to: node)) { message, _ in
                guard let position = WriterPosition(message) else { return }
                self.queue.async { self.receiveHandover(position) }
            },
        ]
    }

    func sendBeat() {
        nextBeat = clock() + Election.beatInterval
        let role: NodeBeat.Role =
            switch election.role {
            case .follower, .deposed: .follower
            case .candidate, .starting: .candidate
            case .writer: .writer
            }
        let beat = NodeBeat(
            node: node, role: role, term: reader?.term?.number ?? 0, appliedFrame: appliedFrame,
            lastMessage: (reader?.next ?? 1) - 1, span: announcedSpan(), syncedFrame: syncedFrame, clock: wallClock(),
            facts: facts)
        lastBeat = beat.encoded()
        bus.publish(lastBeat, to: ClusterSubjects.beats)
    }

    private func receive(_ message: [UInt8]) {
        guard !hasEnded else { return }
        let now = clock()
        // This node's own beats, which come back, also show that the bus works.
        if now - busHeard >= Self.busGap { busSteadySince = now }
        if now - busHeard >= Election.probeSilence { election.busReturned(at: now) }
        busHeard = now
        guard message != lastBeat, let beat = try? NodeBeat(message), beat.node != node else { return }
        if beat.node.name == node.name {
            claim.hear(beat.node, at: now)
            checkClaim()
        }
        roster.receive(beat, at: now, wallClock: wallClock())
        election.compareClocks(roster.clockDifferences(at: now))
        // What one node has read, the log has.
        learn(upTo: beat.lastMessage)
        compare(beat, at: now)
        checkWaiting()
        if beat.role == .writer { perform(election.receivedBeat(ofTerm: beat.term, at: now)) }
        proceed()
    }

    // MARK: The name

    /// Asks whether another process is the node of this name, unless that is known.
    func claimName(at now: Int64) {
        guard claim.asks(at: now) else { return }
        let subject = ClusterSubjects.name(of: node)
        bus.request([], to: subject, milliseconds: Int(NameClaim.interval)) { reply in
            self.queue.async {
                self.claim.receive(reply, at: self.clock())
                self.checkClaim()
            }
        }
    }

    private func checkClaim() {
        guard !hasEnded else { return }
        switch claim.state {
        case .open: break
        case .taken: fail(.nameTaken)
        case .held where nameSubscription == nil:
            nameSubscription = bus.serve(ClusterSubjects.name(of: node)) { _, reply in
                // A process that hangs does not answer.
                self.queue.async { reply?([]) }
            }
            sendBeat()
        case .held: break
        }
    }
}
