import ChatDomain
import Records

/// A writer for a snapshot and the bodies that it stores in blocks.
struct SnapshotWriter {
    let disk: any Disk
    /// The number of the last frame in the snapshot.
    let sequence: UInt64
    /// Random; the file of blocks has the next one.
    let salt: UInt64
    var pieces = PieceLimits()
    /// The maximum size of a piece in bytes; larger ones cause an error.
    var limit = FrameFormat.limit
    /// Whether a block or run may stay in its file.
    var keeps: (BlockReference) -> Bool = { _ in false }
    /// Polled; true aborts the operation.
    var isInterrupted: () -> Bool = { false }

    struct Result {
        /// The size of the snapshot in bytes.
        var bytes = 0
        /// All blocks to which the snapshot refers.
        var blocks: [StoredBlock] = []
        /// The new ones among them.
        var newBlocks: [StoredBlock] = []
        /// All runs to which it refers.
        var runs: [BlockReference] = []
        /// The size of the new blocks and runs in bytes.
        var blockBytes = 0
    }

    /// - Parameter change: Changes a piece before it is written.
    /// - Throws: If the disk fails or readers would refuse a piece as too large. The journal is not affected, and the
    ///   server continues.
    func write(_ state: ChatState, _ change: (inout StatePart) -> Void = { _ in }) throws(JournalError) -> Result {
        do throws(JournalError) { return try writeFiles(state, change) } catch {
            for name in [FileName.unfinished, FileName.unfinishedBlocks, FileName.blocks.name(sequence)] {
                try? disk.remove(name)
            }
            throw error
        }
    }

    private func writeFiles(_ state: ChatState, _ change: (inout StatePart) -> Void) throws(JournalError) -> Result {
        let header = FileHeader(.snapshot, contentVersion: StateCoder.version, salt: salt, number: sequence)
        let snapshot = try SealedFileWriter(disk, header, unfinished: FileName.unfinished)
        let blocks = BlockWriter(disk, number: sequence, salt: salt &+ 1)
        var result = Result()
        let history = HistoryStore<JournalError>(
            store: { bodies throws(JournalError) in
                if isInterrupted() { throw .interrupted }
                return try blocks.append(bodies)
            }, keeps: keeps,
            stored: { block, isNew in
                result.blocks.append(block)
                if isNew { result.newBlocks.append(block) }
            },
            storeRun: { parts throws(JournalError) in
                if isInterrupted() { throw .interrupted }
                return try blocks.append(parts, limit: limit)
            })
        try state.parts(pieces, storing: history) { part throws(JournalError) in
            if isInterrupted() { throw .interrupted }
            var part = part
            change(&part)
            if case .runs(_, _, let runs) = part { result.runs += runs.map(\.reference) }
            _ = try snapshot.append(Self.encode(part, limit: limit))
        }
        // A text that could not be read now must not be missing for ever.
        if let failure = (state.blocks.reader as? BlockFiles)?.failure { throw failure }
        if let run = state.unreadableRun { throw .unreadableRun(file: FileName.blocks.name(run.file), run) }
        result.blockBytes = try blocks.finish()
        result.bytes = try snapshot.finish(as: FileName.snapshot.name(sequence))
        return result
    }

    static func encode(_ part: StatePart, limit: Int) throws(JournalError) -> [UInt8] {
        guard let payload = StateCoder.encode(part), !payload.isEmpty, payload.count <= limit else {
            throw .oversizedPiece("\(part.name)")
        }
        return payload
    }
}

/// A writer for a file of blocks and runs. Without any, there is no file.
private final class BlockWriter {
    private let disk: any Disk
    private let header: FileHeader
    private var file: SealedFileWriter?

    init(_ disk: any Disk, number: UInt64, salt: UInt64) {
        self.disk = disk
        header = FileHeader(.blocks, contentVersion: BlockCoder.version, salt: salt, number: number)
    }

    func append(_ bodies: [MessageBody]) throws(JournalError) -> BlockReference {
        let file = try opened()
        guard let payload = BlockCoder.encode(bodies), !payload.isEmpty else { throw .oversizedPiece("a block") }
        let place = try file.append(payload)
        guard let size = UInt32(exactly: place.size) else { throw .oversizedPiece("a block") }
        return BlockReference(file: header.number, offset: UInt64(place.offset), size: size)
    }

    /// Appends the pieces of a run.
    func append(_ parts: [StatePart], limit: Int) throws(JournalError) -> BlockReference {
        let file = try opened()
        var start: Int?
        var size = 0
        for part in parts {
            let place = try file.append(SnapshotWriter.encode(part, limit: limit))
            start = start ?? place.offset
            size += place.size
        }
        guard let start, let size = UInt32(exactly: size) else { throw .oversizedPiece("a run") }
        return BlockReference(file: header.number, offset: UInt64(start), size: size)
    }

    private func opened() throws(JournalError) -> SealedFileWriter {
        if let file { return file }
        let new = try SealedFileWriter(disk, header, unfinished: FileName.unfinishedBlocks)
        file = new
        return new
    }

    /// - Returns: The size of the file in bytes; 0 if there is none.
    func finish() throws(JournalError) -> Int {
        guard let file else { return 0 }
        return try file.finish(as: FileName.blocks.name(header.number))
    }
}
