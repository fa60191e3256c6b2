import Journal
import Records

/// Reads the log, and passes its frames to the engine.
extension Replica {
    func receive(_ entries: [LogEntry]) {
        storeHeard = clock()
        for entry in entries {
            guard reader != nil, !hasEnded else { return }
            lag.learn(upTo: entry.number, at: storeHeard)
            log?.saw(entry)
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
            if term.writer != node { ready.append(.term(term)) }
            perform(election.saw(term, at: clock()))
        case .frame(let numbered, let version):
            // The engine has applied what this node decided.
            guard reader?.term?.writer != node else { return appliedFrame = max(appliedFrame, numbered.number) }
            let tag = numbered.frame.tag
            let serial = tag.answersNode && tag.origin == node ? tag.serial : nil
            guard numbered.frame.isNumbered || serial != nil || tag.kept != nil else { return }
            guard version <= facts.recordVersion else { return fail(.newerRecords(version: version)) }
            guard let records = numbered.frame.isNumbered ? try? RecordCoder.decode(numbered.frame.payload) : [] else {
                return fail(.unreadableFrame(numbered.number))
            }
            let frame = LoggedFrame(
                number: numbered.number, records: records, freshID: tag.id, serial: serial,
                refusal: serial == nil ? nil : tag.refusal, kept: tag.kept)
            ready.append(.frame(frame, payload: numbered.frame.payload))
            readyBytes += numbered.frame.payload.count
        case .known(let numbered):
            let records = try? RecordCoder.decode(numbered.frame.payload)
            if let records, let lastRecords, records != lastRecords { return fail(.diverged) }
        case .needs: break
        }
    }

    /// Does whatever can be done now: passes frames to the engine, reads what is missing, stands for election.
    func proceed() {
        guard !hasEnded else { return }
        applyReady()
        if ready.isEmpty, !isApplying, let reader { lag.apply(upTo: reader.next - 1) }
        continueHandover()
        answerQuestions()
        if let missing = reader?.missing, readyBytes <= Self.bytesAtOnce { read(from: missing) }
        guard isSeekingEnd, let goal, let reader, reader.next > goal, ready.isEmpty, !isApplying else { return }
        // A node that was cut off may reach the log before it hears the writer, who is well.
        if election.role == .candidate, clock() - busHeard >= Election.probeSilence { return }
        self.goal = nil
        // Nobody has created the log yet; the next tick looks again.
        guard reader.term != nil else { return }
        isSeekingEnd = false
        // Frames that only this node has would be replaced by others with the same numbers.
        guard reader.end != nil else { return fail(.aheadOfLog(frame: reader.lastFrame)) }
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
        var frames: [LoggedFrame] = []
        var count = 0
        loop: for item in ready {
            switch item {
            case .term(let term) where frames.isEmpty: hooks.began(term)
            case .term: break loop
            case .frame(let frame, let payload):
                // Without space in the journal, the next tick tries again.
                guard payload.isEmpty || log.reserve(following: payload) else { break loop }
                frames.append(frame)
            }
            count += 1
        }
        ready.removeFirst(count)
        if ready.isEmpty { readyBytes = 0 }
        guard !frames.isEmpty else { return }
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
        let asked = clock()
        store.bounds { result in
            self.queue.async {
                guard self.isSeekingEnd, case .success(let bounds) = result else { return }
                self.heardBounds(bounds, asked: asked)
                self.goal = bounds.last
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
