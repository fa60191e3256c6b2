import ChatDomain

/// A loader for the chat's state in a journal's folder.
struct StateLoader {
    let disk: any Disk
    let report: JournalReport
    var threads = 4
    /// The maximum size of the blocks kept in memory, in bytes.
    var cacheBytes = 16_777_216
    /// The key of the hashes of client ids, if there is no snapshot.
    var hashKey = HashKey.ofProcess
    /// Polled; true aborts the operation.
    var isInterrupted: @Sendable () -> Bool = { false }
    /// Whether messages in runs stay on disk until a record changes them. The state then only serves to write snapshots.
    var isSparse = false

    /// Loads the newest usable snapshot. If there is none and the journal still has all its frames, the state is empty.
    ///
    /// - Parameters:
    ///   - bound: Only snapshots that end before this frame.
    ///   - damaged: Called for each unusable snapshot.
    /// - Returns: The state and the number of the last frame in it.
    func base(
        before bound: UInt64 = .max, _ damaged: (JournalError) -> Void
    ) throws(JournalError) -> (state: ChatState, sequence: UInt64) {
        let first = report.segments.first?.first ?? 1
        for snapshot in report.snapshots.reversed() where snapshot.sequence < bound && snapshot.sequence + 1 >= first {
            do throws(JournalError) {
                return (try state(of: snapshot.name), snapshot.sequence)
            } catch {
                // A newer version is not damage; skipping the snapshot would lose its data.
                if case .unusableSnapshot = error { damaged(error) } else { throw error }
            }
        }
        guard first == 1 else { throw .noSnapshot(first: first) }
        return (emptyState().state, 0)
    }

    private func emptyState() -> (state: ChatState, files: BlockFiles) {
        let files = BlockFiles(disk)
        return (
            ChatState(blocks: BlockCache(reader: files, limit: cacheBytes), hashKey: hashKey, isSparse: isSparse), files
        )
    }

    func state(of snapshot: String) throws(JournalError) -> ChatState {
        let (state, files) = emptyState()
        let reader = SnapshotReader(disk: disk, name: snapshot, threads: threads, runs: isSparse ? nil : files)
        try reader.read { part throws(StatePart.Problem) in if !isInterrupted() { try state.load(part) } }
        if isInterrupted() { throw .interrupted }
        do throws(JournalError) {
            try files.keepOpen(BlockFileUse(of: state).files)
        } catch {
            switch error {
            case .disk(let disk) where !disk.isMissing: throw error
            case .unknownVersion: throw error
            default: break
            }
            // An older snapshot and the frames after it have the bodies as well.
            throw .unusableSnapshot(snapshot, reason: "\(error)")
        }
        return state
    }

    /// Applies the frames after a state, up to and including `last`.
    func replay(_ state: ChatState, after sequence: UInt64, through last: UInt64) throws(JournalError) {
        let reader = JournalReader(disk: disk, report: report, threads: threads)
        try reader.read(from: sequence + 1, through: last) { _, records in
            for record in records where !isInterrupted() {
                guard state.expects(record) else { throw OutOfOrder(record) }
                state.evolve(record)
            }
        }
        if isInterrupted() { throw .interrupted }
        if let run = state.unreadableRun { throw .unreadableRun(file: FileName.blocks.name(run.file), run) }
    }
}

/// An error for records that can be decoded but not applied.
package struct OutOfOrder: Error, CustomStringConvertible {
    private let record: Record

    package init(_ record: Record) { self.record = record }

    package var description: String {
        "the positions of its events in \(record.positions.map(\.room.name)) do not continue the previous ones"
    }
}
