import ChatDomain

/// A journal's folder as it is, neither repaired nor locked.
package struct ReadOnlyJournal {
    private let disk: any Disk
    package let report: JournalReport

    /// - Parameter folder: Has to be there.
    package init(folder: String) throws(JournalError) { try self.init(PosixDisk(existing: folder)) }

    package init(_ disk: any Disk) throws(JournalError) {
        self.disk = disk
        report = try JournalRecovery.inspect(disk)
    }

    /// The state to which the newest usable snapshot and all frames after it come.
    ///
    /// - Parameter damaged: Told of each snapshot that cannot be used.
    package func state(_ damaged: (JournalError) -> Void) throws(JournalError) -> ChatState {
        let loader = StateLoader(disk: disk, report: report)
        var (state, base) = try loader.base(damaged)
        try loader.replay(&state, after: base, through: report.last)
        return state
    }

    /// Why a snapshot cannot be used; `nil` when it can.
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
