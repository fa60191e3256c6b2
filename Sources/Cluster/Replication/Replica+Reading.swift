import Journal
import Records

/// Reads the log, and passes its frames to the engine.
extension Replica {
    func receive(_ entries: [LogEntry]) {
        storeHeard = clock()
        for entry in entries {
            guard reader != nil, !hasEnded else { return }
            lag.learn(upTo: entry.number, at: storeHeard)
            // The store keeps what does not fit here.
            if readyBytes > Self.bytesAtOnce {
                reader?.expect(upTo: entry.number)
                continue
            }
            do throws(LogStreamError) {
                for step in try reader?.receive(entry) ?? [] { take(step) }
            } catch {
                return fail(.log(error))
            }
        }
        proceed()
    }

    func take(_ step: LogReader.Step) {
        switch step {
        case .term(let term):
            if term.writer != node, election.role == .starting { log?.withdraw() }
            perform(election.saw(term, at: clock()))
        case .frame(let numbered, let version):
            guard numbered.frame.isNumbered else { return }
            // The engine has applied what this node decided.
            guard reader?.term?.writer != node else { return appliedFrame = max(appliedFrame, numbered.number) }
            guard version <= RecordCoder.version else { return fail(.newerRecords(version: version)) }
            guard let records = try? RecordCoder.decode(numbered.frame.payload) else {
                return fail(.unreadableFrame(numbered.number))
            }
            ready.append(LoggedFrame(number: numbered.number, records: records, freshID: numbered.frame.tag.id))
            readyBytes += numbered.frame.payload.count
        case .needs: break
        }
    }

    /// Does whatever can be done now: passes frames to the engine, reads what is missing, stands for election.
    func proceed() {
        guard !hasEnded else { return }
        applyReady()
        if ready.isEmpty, !isApplying, let reader { lag.apply(upTo: reader.next - 1) }
        continueHandover()
        if let missing = reader?.missing, readyBytes <= Self.bytesAtOnce { read(from: missing) }
        guard isSeekingEnd, let goal, let reader, reader.next > goal, ready.isEmpty, !isApplying else { return }
        self.goal = nil
        // Nobody has created the log yet; the next tick looks again.
        guard reader.term != nil else { return }
        isSeekingEnd = false
        // Frames that only this node has would be replaced by others with the same numbers.
        guard reader.end != nil else { return fail(.aheadOfLog) }
        perform(election.reachedEnd())
    }

    func read(from number: UInt64) {
        guard !isReading else { return }
        isReading = true
        store.read(from: number, bytes: Self.bytesAtOnce) { result in
            self.queue.async {
                self.isReading = false
                switch result {
                case .success(let entries) where !entries.isEmpty: self.receive(entries)
                case .failure(.dropped(let first)) where self.reader?.next == number:
                    self.fail(.log(.missingFrames(first: first)))
                // The store answered from a copy that is behind, or not at all. The next tick tries again.
                case .success, .failure: break
                }
            }
        }
    }

    func applyReady() {
        guard !isApplying, !ready.isEmpty, let log else { return }
        var count = 0
        while count < ready.count, let reservation = log.reserveForFollowing() {
            // Used by the engine's `append`.
            _ = consume reservation
            count += 1
        }
        // Without space in the journal, the next tick tries again.
        guard count > 0 else { return }
        let frames = Array(ready.prefix(count))
        ready.removeFirst(count)
        if ready.isEmpty { readyBytes = 0 }
        isApplying = true
        let last = frames.last?.number ?? 0
        // Messages are applied once all of their frames are.
        let message = ready.isEmpty ? (reader?.next ?? 1) - 1 : 0
        hooks.apply(frames) { isApplied in
            self.queue.async {
                self.isApplying = false
                guard isApplied else { return self.fail(.diverged) }
                self.appliedFrame = max(self.appliedFrame, last)
                self.lag.apply(upTo: message)
                self.proceed()
            }
        }
    }

    /// Finds out where the log ends; `proceed` reports once everything up to there is applied.
    func seekEnd() {
        isSeekingEnd = true
        goal = nil
        store.bounds { result in
            self.queue.async {
                guard self.isSeekingEnd, case .success(let bounds) = result else { return }
                self.storeHeard = self.clock()
                self.goal = bounds.last
                self.learn(upTo: bounds.last)
                self.proceed()
            }
        }
    }

    /// Records that the log has messages up to a number.
    func learn(upTo number: UInt64) {
        lag.learn(upTo: number, at: clock())
        reader?.expect(upTo: number)
    }
}
