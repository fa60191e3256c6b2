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

    /// All records in order.
    package func read(_ body: (Record) throws -> Void) throws(JournalError) {
        try JournalReader(disk: disk, report: report).read(from: 1) { _, records in
            for record in records { try body(record) }
        }
    }
}
