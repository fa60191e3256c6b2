import ChatDomain

/// Makes a snapshot of what lies far enough back in a journal and deletes what nobody needs any more.
///
/// It reads what was written, as a start does, and touches neither the engine nor the segment that is being written: so
/// the server works on meanwhile, and every snapshot is proof that the one before and the frames after it can be read.
/// Two snapshots are kept, and every frame after the older one. One at a time in a folder.
package struct Compaction {
    package struct Result: Sendable, Equatable {
        /// The number of the last frame that went into the new snapshot.
        package let sequence: UInt64
        package let bytes: Int
        /// Names of the files that were deleted.
        package let removed: [String]
        /// Snapshots that could not be used.
        package let damaged: [JournalError]
    }

    /// Of the file in the journal's folder that is locked by whoever compacts or copies it.
    package static let lockName = "compaction.lock"

    let disk: any Disk
    /// Frames, counted from the journal's end, that stay out of it: a start reads them and lets clients recover their
    /// events.
    let kept: UInt64
    /// Their bytes: of larger frames fewer stay out.
    let keptBytes: Int
    /// The last frame that may go into it.
    let limit: UInt64
    /// Bytes of frames that are left for whoever has still to read them.
    let limitBytes: Int
    let salt: UInt64
    let pieces: PieceLimits
    let isInterrupted: @Sendable () -> Bool

    /// - Parameters:
    ///   - bytes: Of the frames that stay out, at most.
    ///   - limit: The last frame that may go into the snapshot: someone has still to read those after it.
    ///   - limitBytes: More of them are not left for that.
    ///   - isInterrupted: Asked now and then: whether to give up and leave everything as it was.
    package init(
        _ disk: any Disk, keeping kept: Int, bytes: Int = .max, through limit: UInt64 = .max,
        limitBytes: Int = .max, salt: UInt64,
        pieces: PieceLimits = PieceLimits(), isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.disk = disk
        self.limit = limit
        self.limitBytes = limitBytes
        self.kept = UInt64(clamping: kept)
        keptBytes = bytes
        self.salt = salt
        self.pieces = pieces
        self.isInterrupted = isInterrupted
    }

    /// - Returns: `nil` when there is nothing to do.
    package func run() throws(JournalError) -> Result? {
        let report = try JournalRecovery.survey(disk)
        let target = try last(report)
        guard target > report.snapshots.last?.sequence ?? 0 else { return nil }
        // In its own thread alone: a server beside it has better use for the others.
        let loader = StateLoader(disk: disk, report: report, threads: 0, isInterrupted: isInterrupted)
        var damaged: [JournalError] = []
        var (state, base) = try loader.base { damaged.append($0) }
        try loader.replay(&state, after: base, through: target)
        let bytes: Int
        do throws(JournalError) {
            bytes = try write(state, target)
        } catch {
            try? disk.remove(FileName.unfinished)
            throw error
        }
        let removed = try clean(report, base: base)
        return Result(sequence: target, bytes: bytes, removed: removed, damaged: damaged)
    }

    /// The last frame before those that stay out of the snapshot.
    private func lastOutside(_ report: JournalReport) throws(JournalError) -> UInt64 {
        let earliest = report.last > kept ? report.last - kept + 1 : 1
        guard keptBytes < .max else { return earliest - 1 }
        return try last(before: keptBytes, earliest, report)
    }

    /// The last frame that goes into the snapshot.
    private func last(_ report: JournalReport) throws(JournalError) -> UInt64 {
        let outside = try lastOutside(report)
        guard limit < outside, limitBytes < .max else { return min(limit, outside) }
        return min(outside, max(limit, try last(before: limitBytes, 1, report)))
    }

    private func last(
        before bytes: Int, _ earliest: UInt64, _ report: JournalReport
    ) throws(JournalError) -> UInt64 {
        try report.first(ofLast: bytes, from: earliest) { segment throws(JournalError) in
            if isInterrupted() { throw .interrupted }
            return try sizes(of: segment.name)
        } - 1
    }

    private func sizes(of segment: String) throws(JournalError) -> FrameSizes {
        let bytes = try JournalError.naming { () throws(DiskError) in try disk.read(segment) }
        var sizes = FrameSizes()
        _ = SegmentScanner(header: try JournalRecovery.header(of: bytes, segment)).scan(bytes) { number, payload in
            sizes.add(number, bytes: payload.count + FrameFormat.headerSize)
        }
        return sizes
    }

    private func write(_ state: ChatState, _ sequence: UInt64) throws(JournalError) -> Int {
        var writer = try SnapshotWriter(disk, sequence: sequence, salt: salt)
        try state.parts(pieces) { part throws(JournalError) in if !isInterrupted() { try writer.add(part) } }
        if isInterrupted() { throw .interrupted }
        return try writer.finish()
    }

    /// Deletes every snapshot but the new one and the one it was made from, and the segments that went into that.
    private func clean(_ report: JournalReport, base: UInt64) throws(JournalError) -> [String] {
        let snapshots = report.snapshots.filter { $0.sequence != base }.map(\.name)
        let segments = report.segments.filter { $0.next <= base + 1 }.map(\.name)
        let (disk, names) = (disk, snapshots + segments)
        try JournalError.naming { () throws(DiskError) in
            for name in names { try disk.remove(name) }
            if !names.isEmpty { try disk.syncFolder() }
        }
        return names
    }
}
