import ChatDomain

/// An operation that writes a snapshot of the older part of a journal and deletes files that are no longer needed.
///
/// It reads the files as a starting server does, without involving the engine or the current segment, so the server
/// keeps running. Every new snapshot proves that the previous one and the frames after it are readable. Two snapshots
/// are kept, with every frame after the older one. Only one compaction may run in a folder.
package struct Compaction {
    package struct Result: Sendable, Equatable {
        /// The number of the last frame in the new snapshot.
        package let sequence: UInt64
        package let bytes: Int
        /// The names of the deleted files.
        package let removed: [String]
        /// The errors of unusable snapshots.
        package let damaged: [JournalError]
    }

    /// The name of the lock file in the journal's folder, locked while compacting or copying.
    package static let lockName = "compaction.lock"

    let disk: any Disk
    /// The number of recent frames to leave out of the snapshot. A starting server reads them so that clients can
    /// recover their events.
    let kept: UInt64
    let keptBytes: Int
    let limit: UInt64
    let limitBytes: Int
    let salt: UInt64
    let sizes: SegmentSizes
    let pieces: PieceLimits
    let isInterrupted: @Sendable () -> Bool

    /// - Parameters:
    ///   - bytes: The byte limit for the frames left out; fewer are left out if they are large.
    ///   - limit: The last frame that may go into the snapshot, because some reader still needs the later ones.
    ///   - limitBytes: The byte limit for frames retained because of `limit`, for slow readers.
    ///   - sizes: The segment sizes of the same journal. The caller keeps them for the next compaction.
    ///   - isInterrupted: Polled; true aborts the operation without changing anything.
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

    /// - Returns: The result; `nil` if there is nothing to do.
    package func run() throws(JournalError) -> Result? {
        let report = try JournalRecovery.survey(disk)
        sizes.prune(keeping: report.segments)
        let target = try last(report)
        guard target > report.snapshots.last?.sequence ?? 0 else { return nil }
        // Decode only on this thread, because a running server needs the others.
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

    /// Returns the last frame before the recent ones to leave out.
    private func lastOutside(_ report: JournalReport) throws(JournalError) -> UInt64 {
        let earliest = report.last > kept ? report.last - kept + 1 : 1
        guard keptBytes < .max else { return earliest - 1 }
        return try last(before: keptBytes, earliest, report)
    }

    /// Returns the last frame that goes into the snapshot.
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

    func write(_ state: ChatState, _ sequence: UInt64) throws(JournalError) -> Int {
        var writer = try SnapshotWriter(disk, sequence: sequence, salt: salt)
        try state.parts(pieces) { part throws(JournalError) in if !isInterrupted() { try writer.add(part) } }
        if isInterrupted() { throw .interrupted }
        return try writer.finish()
    }

    /// Deletes every snapshot except the new one and its base, and the segments covered by the base.
    private func clean(_ report: JournalReport, base: UInt64) throws(JournalError) -> [String] {
        let snapshots = report.snapshots.filter { $0.sequence != base }.map(\.name)
        let segments = report.segments.filter { $0.next <= base + 1 }.map(\.name)
        return try remove(snapshots + segments)
    }

    func remove(_ names: [String]) throws(JournalError) -> [String] {
        let disk = disk
        try JournalError.wrapping { () throws(DiskError) in
            for name in names { try disk.remove(name) }
            if !names.isEmpty { try disk.syncFolder() }
        }
        return names
    }
}
