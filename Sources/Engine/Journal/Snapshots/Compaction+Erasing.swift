import ChatDomain

extension Compaction {
    /// Makes a snapshot of everything in closed segments, and deletes every older file, so that what was erased is on the
    /// disk no longer (`PR1`). The snapshot is read back first, because it alone has the chat from then on.
    ///
    /// Run it after the log was rotated, without frames to leave out of the snapshot.
    ///
    /// - Parameter frame: The last frame that must not remain.
    /// - Returns: The result; `nil` if not everything up to the frame can be replaced yet.
    package func erase(through frame: UInt64) throws(JournalError) -> Result? {
        let report = try JournalRecovery.survey(disk)
        let target = min(report.last, limit)
        // The journal's end is in the names of its last files.
        guard target >= frame, try isFollowed(report.next) else { return nil }
        var damaged: [JournalError] = []
        var bytes = 0
        if target > report.snapshots.last?.sequence ?? 0 {
            let loader = StateLoader(disk: disk, report: report, threads: 0, isInterrupted: isInterrupted)
            let (state, base) = try loader.base { damaged.append($0) }
            try loader.replay(state, after: base, through: target)
            do throws(JournalError) {
                bytes = try write(state, target)
            } catch {
                try? disk.remove(FileName.unfinished)
                throw error
            }
        }
        let fresh = try JournalRecovery.survey(disk)
        guard let kept = fresh.snapshots.last, kept.sequence >= frame else { return nil }
        _ = try StateLoader(disk: disk, report: fresh, threads: 0, isInterrupted: isInterrupted).state(of: kept.name)
        let segments = fresh.segments.filter { $0.next <= kept.sequence + 1 }
        return Result(
            sequence: kept.sequence, bytes: bytes,
            removed: try remove(fresh.snapshots.dropLast().map(\.name) + segments.map(\.name)), damaged: damaged)
    }

    /// Returns whether a segment that begins with this frame exists, closed or not.
    private func isFollowed(_ frame: UInt64) throws(JournalError) -> Bool {
        let disk = disk
        let names = try JournalError.wrapping { () throws(DiskError) in try disk.names() }
        return names.contains(FileName.segment.name(frame))
    }
}
