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
        /// The errors of unusable snapshots and blocks.
        package let damaged: [JournalError]
        /// The number of the last frame in the snapshot before; 0 if there is none.
        package let base: UInt64
        /// All blocks to which the snapshot refers.
        package let blocks: [StoredBlock]
        /// The new ones among them.
        package let newBlocks: [StoredBlock]
        /// The size of the new blocks in bytes.
        package let blockBytes: Int
        /// The time of the state in the snapshot, in milliseconds since 1970.
        package let time: Int64
        /// The numbers of the files of blocks to which the snapshot refers.
        package let blockFiles: Set<UInt64>
        /// The blocks that are still needed.
        let needed: NeededBlocks

        init(_ made: Made, sequence: UInt64, removed: [String], needed: NeededBlocks) {
            self.sequence = sequence
            bytes = made.files.bytes
            self.removed = removed
            damaged = made.damaged
            base = made.base
            blocks = made.files.blocks
            newBlocks = made.files.newBlocks
            blockBytes = made.files.blockBytes
            time = made.time
            blockFiles = Set(made.files.blocks.map(\.part.reference.file))
            self.needed = needed
        }
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
    let hashKey: HashKey
    let sizes: SegmentSizes
    let pieces: PieceLimits
    let isInterrupted: @Sendable () -> Bool

    /// - Parameters:
    ///   - bytes: The byte limit for the frames left out; fewer are left out if they are large.
    ///   - limit: The last frame that may go into the snapshot, because some reader still needs the later ones.
    ///   - limitBytes: The byte limit for frames retained because of `limit`, for slow readers.
    ///   - hashKey: The key of the hashes of client ids, if there is no snapshot yet.
    ///   - sizes: The segment sizes of the same journal. The caller keeps them for the next compaction.
    ///   - isInterrupted: Polled; true aborts the operation without changing anything.
    package init(
        _ disk: any Disk, keeping kept: Int, bytes: Int = .max, through limit: UInt64 = .max,
        limitBytes: Int = .max, salt: UInt64, hashKey: HashKey = .ofProcess, sizes: SegmentSizes = SegmentSizes(),
        pieces: PieceLimits = PieceLimits(), isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.disk = disk
        self.limit = limit
        self.limitBytes = limitBytes
        self.kept = UInt64(clamping: kept)
        keptBytes = bytes
        self.salt = salt
        self.hashKey = hashKey
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
        let made = try make(report, through: target)
        let removed = try clean(report, base: made.base, blockFiles: made.needed.files)
        return Result(made, sequence: target, removed: removed, needed: made.needed)
    }

    /// A snapshot that was written.
    struct Made {
        var files = SnapshotWriter.Result()
        /// The number of the last frame in the snapshot before; 0 if there is none.
        let base: UInt64
        /// The blocks that this snapshot and the one before need.
        var needed = NeededBlocks()
        var damaged: [JournalError] = []
        var time: Int64 = 0

        init(base: UInt64) { self.base = base }
    }

    /// Writes a snapshot of the frames up to `target`.
    func make(_ report: JournalReport, through target: UInt64) throws(JournalError) -> Made {
        // Decode only on this thread, because a running server needs the others.
        let loader = StateLoader(
            disk: disk, report: report, threads: 0, hashKey: hashKey, isInterrupted: isInterrupted, isSparse: true)
        var damaged: [JournalError] = []
        var bound = UInt64.max
        while true {
            let (state, base) = try loader.base(before: bound) { damaged.append($0) }
            do throws(JournalError) { return try make(state, base, loader, through: target, damaged) } catch {
                // An older snapshot may refer to another run, and the frames after it are still there.
                guard case .unreadableRun = error, base > 0 else { throw error }
                damaged.append(error)
                bound = base
            }
        }
    }

    private func make(
        _ state: ChatState, _ base: UInt64, _ loader: StateLoader, through target: UInt64, _ damaged: [JournalError]
    ) throws(JournalError) -> Made {
        var made = Made(base: base)
        state.visitBlocks { made.needed.add($0.part.reference) }
        state.visitRuns { made.needed.add($0.reference) }
        try loader.replay(state, after: base, through: target)
        let rewritten = BlockFileUse(of: state).filesToRewrite { try? disk.size(of: FileName.blocks.name($0)) }
        let writer = SnapshotWriter(
            disk: disk, sequence: target, salt: salt, pieces: pieces, keeps: { !rewritten.contains($0.file) },
            isInterrupted: isInterrupted)
        made.files = try writer.write(state)
        made.damaged =
            damaged + state.blocks.damaged.map { .unreadableBlock(file: FileName.blocks.name($0.file), $0) }
        for block in made.files.blocks { made.needed.add(block.part.reference) }
        for run in made.files.runs { made.needed.add(run) }
        made.time = state.lastAt
        return made
    }

    /// Overwrites what no snapshot needs of the files of blocks, such as the texts of messages that were deleted. Nothing
    /// may refer to older snapshots' blocks any more.
    package func overwriteUnused(after result: Result) throws(JournalError) {
        let disk = disk
        try JournalError.wrapping { () throws(DiskError) in
            for file in result.needed.files.sorted() {
                let name = FileName.blocks.name(file)
                let gaps = result.needed.gaps(in: file, size: try disk.size(of: name))
                if !gaps.isEmpty { try disk.erase(gaps, of: name) }
            }
        }
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

    /// Deletes every snapshot except the new one and its base, the segments covered by the base, and the files of blocks
    /// to which neither snapshot refers.
    private func clean(
        _ report: JournalReport, base: UInt64, blockFiles: Set<UInt64>
    ) throws(JournalError) -> [String] {
        let snapshots = report.snapshots.filter { $0.sequence != base }.map(\.name)
        let segments = report.segments.filter { $0.next <= base + 1 }.map(\.name)
        return try remove(snapshots + segments, exceptBlocks: blockFiles)
    }

    /// Deletes files, and the files of blocks that are not among these.
    func remove(_ names: [String], exceptBlocks kept: Set<UInt64>) throws(JournalError) -> [String] {
        let disk = disk
        return try JournalError.wrapping { () throws(DiskError) in
            let blocks = try disk.names().filter { name in
                FileName.blocks.number(of: name).map { !kept.contains($0) } ?? false
            }
            let names = names + blocks
            for name in names { try disk.remove(name) }
            if !names.isEmpty { try disk.syncFolder() }
            return names
        }
    }
}
