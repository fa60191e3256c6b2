import ChatDomain
import Records

/// A journal's folder that is read without repairing or locking it.
package struct ReadOnlyJournal {
    private let disk: any Disk
    package let report: JournalReport

    /// - Parameter folder: The folder, which must exist.
    package init(folder: String) throws(JournalError) { try self.init(PosixDisk(existing: folder)) }

    package init(_ disk: any Disk) throws(JournalError) {
        self.disk = disk
        report = try JournalRecovery.inspect(disk)
    }

    /// Returns the state after the newest usable snapshot and all later frames.
    ///
    /// - Parameter damaged: Called for each unusable snapshot.
    package func state(_ damaged: (JournalError) -> Void) throws(JournalError) -> ChatState {
        let loader = StateLoader(disk: disk, report: report)
        let (state, base) = try loader.base(damaged)
        try loader.replay(state, after: base, through: report.last)
        return state
    }

    /// Creates a snapshot of a state in memory and reads it back.
    ///
    /// - Throws: If a piece cannot be encoded or decoded.
    package func tryCompaction(of state: ChatState) throws(JournalError) -> Trial {
        var trial = Trial()
        let again = ChatState()
        var next = 0
        let history = HistoryStore<JournalError>(
            store: { bodies throws(JournalError) in
                guard let payload = BlockCoder.encode(bodies) else { throw .oversizedPiece("a block") }
                guard (try? BlockCoder.decode(payload)) == bodies else {
                    throw .unusableSnapshot("the next snapshot", reason: "a block cannot be read back")
                }
                return BlockReference(file: 0, offset: 0, size: UInt32(clamping: payload.count))
            }, keeps: { _ in false },
            stored: { block, _ in trial.bytes += Int(block.part.reference.size) },
            storeRun: { parts throws(JournalError) in
                // The messages are the channel's next ones.
                for part in RunPart.inChannel(parts, first: next) { try check(part, &trial, again) }
                for case .messages(_, let messages) in parts { next += messages.count }
                return BlockReference(file: 0, offset: 0, size: 0)
            })
        try state.parts(storing: history) { part throws(JournalError) in
            if case .channel = part { next = 0 }
            if case .runs = part { return }
            try check(part, &trial, again)
        }
        return trial
    }

    private func check(_ part: StatePart, _ trial: inout Trial, _ again: ChatState) throws(JournalError) {
        let payload = try SnapshotWriter.encode(part, limit: FrameFormat.limit)
        trial.pieces += 1
        trial.bytes += payload.count
        trial.largest = max(trial.largest, payload.count)
        try SnapshotReader.deliver(StateCoder.decoded(payload), of: "the next snapshot") {
            part throws(StatePart.Problem) in try again.load(part)
        }
    }

    /// Reads all blocks on disk of a state.
    ///
    /// - Returns: The first that cannot be read.
    package func unreadableBlock(in state: ChatState) -> JournalError? {
        var error: JournalError?
        state.visitBlocks { block in
            let reference = block.part.reference
            guard error == nil else { return }
            if case .bodies = state.blocks.reader?.read(reference) { return }
            error = .unreadableBlock(file: FileName.blocks.name(reference.file), reference)
        }
        return error
    }

    /// The size of a trial snapshot.
    package struct Trial: Sendable, Equatable {
        package var pieces = 0
        package var bytes = 0
        /// The size of the largest piece in bytes.
        package var largest = 0
    }

    /// Returns why a snapshot cannot be used; `nil` if it is usable.
    package func problem(of snapshot: JournalReport.Snapshot) throws(JournalError) -> JournalError? {
        do throws(JournalError) {
            let state = try StateLoader(disk: disk, report: report).state(of: snapshot.name)
            return unreadableBlock(in: state)
        } catch {
            if case .unusableSnapshot = error { return error }
            throw error
        }
    }
}
