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
        try state.parts { part throws(JournalError) in
            let payload = try SnapshotWriter.encode(part, limit: FrameFormat.limit)
            trial.pieces += 1
            trial.bytes += payload.count
            trial.largest = max(trial.largest, payload.count)
            try SnapshotReader.deliver(StateCoder.decoded(payload), of: "the next snapshot") {
                part throws(StatePart.Problem) in try again.load(part)
            }
        }
        return trial
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
            _ = try StateLoader(disk: disk, report: report).state(of: snapshot.name)
            return nil
        } catch {
            if case .unusableSnapshot = error { return error }
            throw error
        }
    }
}
