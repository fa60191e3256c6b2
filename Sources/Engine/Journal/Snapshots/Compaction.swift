import ChatDomain

/// Makes a snapshot of the older part of a journal and deletes files that are no longer needed.
///
/// It reads the files as a start does and touches neither the engine nor the current segment. So the server
/// keeps running, and every snapshot proves that the previous one and the frames after it are readable. Two
/// snapshots are kept, with every frame after the older one. Only one compaction may run in a folder.
package struct Compaction {
    package struct Result: Sendable, Equatable {
        /// The number of the last frame in the new snapshot.
        package let sequence: UInt64
        package let bytes: Int
        /// Names of the deleted files.
        package let removed: [String]
        /// Snapshots that could not be used.
        package let damaged: [JournalError]
    }

    /// The name of the lock file in the journal's folder, held while compacting or copying.
    package static let lockName = "compaction.lock"

    let disk: any Disk
    /// Number of frames at the journal's end to leave out of the snapshot: a start reads them so that clients
    /// can recover their events.
    let kept: UInt64
    /// Byte limit for those frames: fewer of them if they are large.
    let keptBytes: Int
    /// The last frame that may go into the snapshot.
    let limit: UInt64
    /// Byte limit for frames retained for slow readers.
    let limitBytes: Int
    let salt: UInt64
    let sizes: SegmentSizes
    let pieces: PieceLimits
    let isInterrupted: @Sendable () -> Bool

    /// - Parameters:
    ///   - bytes: Byte limit for the frames left out.
    ///   - limit: The last frame that may go into the snapshot, because someone still has to read the later
    ///     ones.
    ///   - limitBytes: Byte limit for frames retained because of `limit`.
    ///   - sizes: Of the same journal; kept by the caller from one compaction to the next.
    ///   - isInterrupted: Polled; true aborts and leaves everything unchanged.
    package init(
        _ disk: any Disk, keeping kept: Int, bytes: Int = .max, through limit: UInt64 = .max,
        limitBytes: Int = .max, salt: UInt64, sizes: SegmentSizes = SegmentSizes(),
        pieces: PieceLimits = PieceLimits(), isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.disk = disk
        self.limit = limit
        self.limitBytes = limitBytes
        self.kept = UInt64(clamping: kept)
        keptBytes = bytes
        self.salt = salt
        self.sizes = sizes
        self.pieces = pieces
        self.isInterrupted = isInterrupted
    }

    /// - Returns: `nil` when there is nothing to do.
    package func run() throws(JournalError) -> Result? {
        let report = try JournalRecovery.survey(disk)
        sizes.prune(keeping: report.segments)
        let target = try last(report)
        guard target > report.snapshots.last?.sequence ?? 0 else { return nil }
        // Decode on this thread only: a running server needs the others.
        let loader = StateLoader(disk: disk, report: report, threads: 0, isInterrupted: isInterrupted)
        var damaged: [JournalError] = []
        let (state, base) = try loader.base { damaged.append($0) }
        try loader.replay(state, after: base, through: target)
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
            return try sizes.sizes(of: segment.name) { () throws(JournalError) in try readSizes(of: segment.name) }
        } - 1
    }

    private func readSizes(of segment: String) throws(JournalError) -> FrameSizes {
        let bytes = try JournalError.wrapping { () throws(DiskError) in try disk.read(segment) }
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

    /// Deletes every snapshot except the new one and its base, and the segments covered by the base.
    private func clean(_ report: JournalReport, base: UInt64) throws(JournalError) -> [String] {
        let snapshots = report.snapshots.filter { $0.sequence != base }.map(\.name)
        let segments = report.segments.filter { $0.next <= base + 1 }.map(\.name)
        let (disk, names) = (disk, snapshots + segments)
        try JournalError.wrapping { () throws(DiskError) in
            for name in names { try disk.remove(name) }
            if !names.isEmpty { try disk.syncFolder() }
        }
        return names
    }
}
