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
        let newest = report.snapshots.last?.sequence ?? 0
        var made = target > newest ? try make(report, through: target) : Made(base: newest)
        let fresh = try JournalRecovery.survey(disk)
        guard let kept = fresh.snapshots.last, kept.sequence >= frame else { return nil }
        try readBack(kept.name, fresh, &made)
        var needed = NeededBlocks()
        for block in made.files.blocks { needed.add(block.part.reference) }
        for run in made.files.runs { needed.add(run) }
        let segments = fresh.segments.filter { $0.next <= kept.sequence + 1 }
        let removed = try remove(
            fresh.snapshots.dropLast().map(\.name) + segments.map(\.name), exceptBlocks: needed.files)
        return Result(made, sequence: kept.sequence, removed: removed, needed: needed)
    }

    /// Reads the snapshot that is to stay, its runs and its new blocks.
    private func readBack(_ snapshot: String, _ report: JournalReport, _ made: inout Made) throws(JournalError) {
        let loader = StateLoader(
            disk: disk, report: report, threads: 0, isInterrupted: isInterrupted, isSparse: true)
        let state = try loader.state(of: snapshot)
        for reference in made.files.newBlocks.map(\.part.reference) {
            if case .bodies = state.blocks.reader?.read(reference) { continue }
            throw .unreadableBlock(file: FileName.blocks.name(reference.file), reference)
        }
        made.time = state.lastAt
        made.files.blocks = []
        state.visitBlocks { made.files.blocks.append($0) }
        var runs: [RunPart] = []
        state.visitRuns { runs.append($0) }
        made.files.runs = runs.map(\.reference)
        for run in made.files.runs {
            if case .parts = state.blocks.reader?.readRun(run) { continue }
            throw .unreadableRun(file: FileName.blocks.name(run.file), run)
        }
    }

    /// Returns whether a segment that begins with this frame exists, closed or not.
    private func isFollowed(_ frame: UInt64) throws(JournalError) -> Bool {
        let disk = disk
        let names = try JournalError.wrapping { () throws(DiskError) in try disk.names() }
        return names.contains(FileName.segment.name(frame))
    }
}
