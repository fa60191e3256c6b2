import ChatDomain

/// Comes to the chat's state as a journal's folder has it.
struct StateLoader {
    let disk: any Disk
    let report: JournalReport
    /// That help to decode.
    var threads = 4
    /// Asked now and then: whether to give up.
    var isInterrupted: @Sendable () -> Bool = { false }

    /// The state of the newest snapshot that can be used; empty where the journal has all from its beginning.
    ///
    /// - Parameter damaged: Told of each snapshot that should be usable and is not.
    /// - Returns: The state, and the number of the last frame that went into it.
    func base(
        _ damaged: (JournalError) -> Void
    ) throws(JournalError) -> (state: ChatState, sequence: UInt64) {
        let first = report.segments.first?.first ?? 1
        for snapshot in report.snapshots.reversed() where snapshot.sequence + 1 >= first {
            do throws(JournalError) {
                return (try state(of: snapshot.name), snapshot.sequence)
            } catch {
                // A newer server's file is no damage: what it knows must not be passed over.
                if case .unusableSnapshot = error { damaged(error) } else { throw error }
            }
        }
        guard first == 1 else { throw .noSnapshot(first: first) }
        return (ChatState(), 0)
    }

    func state(of snapshot: String) throws(JournalError) -> ChatState {
        var state = ChatState()
        try SnapshotReader(disk: disk, name: snapshot, threads: threads).read { part throws(StatePart.Problem) in
            if !isInterrupted() { try state.take(part) }
        }
        if isInterrupted() { throw .interrupted }
        return state
    }

    /// Takes in the frames after a state, up to one.
    func replay(_ state: inout ChatState, after sequence: UInt64, through last: UInt64) throws(JournalError) {
        let reader = JournalReader(disk: disk, report: report, threads: threads)
        try reader.read(from: sequence + 1, through: last) { _, records in
            for record in records where !isInterrupted() {
                guard state.expects(record) else { throw OutOfOrder(record) }
                state.evolve(record)
            }
        }
        if isInterrupted() { throw .interrupted }
    }
}

/// Why records cannot be taken in although each can be read.
package struct OutOfOrder: Error, CustomStringConvertible {
    private let record: Record

    package init(_ record: Record) { self.record = record }

    package var description: String {
        "the places of its events in \(record.positions.map(\.room.name)) do not follow from those before"
    }
}
