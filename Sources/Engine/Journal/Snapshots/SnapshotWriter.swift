import ChatDomain
import Records

/// A writer for a snapshot, piece by piece. The file gets its final name once all of it is on disk.
struct SnapshotWriter: ~Copyable {
    /// The number of bytes to write before each sync. A sync of the journal also waits for dirty pages of other files,
    /// so they must stay few.
    private static let slice = 1_048_576

    private let disk: any Disk
    private let sequence: UInt64
    private let salt: UInt64
    private let file: any DiskFile
    private let limit: Int
    private var buffer: [UInt8]
    private var written = 0
    private var number: UInt64 = 1

    /// - Parameters:
    ///   - sequence: The number of the last frame in the snapshot.
    ///   - limit: The maximum size of a piece in bytes; larger ones cause an error.
    init(
        _ disk: any Disk, sequence: UInt64, salt: UInt64, limit: Int = FrameFormat.limit
    ) throws(JournalError) {
        self.limit = limit
        self.disk = disk
        self.sequence = sequence
        self.salt = salt
        file = try JournalError.wrapping { () throws(DiskError) in try disk.create(FileName.unfinished) }
        let header = FileHeader(.snapshot, contentVersion: StateCoder.version, salt: salt, number: sequence)
        buffer = header.encoded()
    }

    /// - Throws: If the disk fails or readers would refuse the piece as too large. The journal is not affected, and the
    ///   server continues.
    mutating func add(_ part: StatePart) throws(JournalError) {
        try append(Self.encode(part, limit: limit))
        if buffer.count >= Self.slice { try write() }
    }

    static func encode(_ part: StatePart, limit: Int) throws(JournalError) -> [UInt8] {
        guard let payload = StateCoder.encode(part), !payload.isEmpty, payload.count <= limit else {
            throw .oversizedPiece("\(part.name)")
        }
        return payload
    }

    /// - Returns: The size of the snapshot in bytes.
    consuming func finish() throws(JournalError) -> Int {
        try append([])
        try write()
        let (disk, sequence) = (disk, sequence)
        try JournalError.wrapping { () throws(DiskError) in
            try disk.rename(FileName.unfinished, to: FileName.snapshot.name(sequence))
            try disk.syncFolder()
        }
        return written
    }

    private mutating func append(_ payload: [UInt8]) throws(JournalError) {
        do throws(DiskError) {
            try FrameFormat.append(payload, sequence: number, unsynced: 0, salt: salt, to: &buffer)
        } catch {
            throw .disk(error)
        }
        number += 1
    }

    private mutating func write() throws(JournalError) {
        do throws(DiskError) {
            try file.write(buffer, at: written)
            written += buffer.count
            buffer.removeAll(keepingCapacity: true)
            try file.sync()
        } catch {
            throw .disk(error)
        }
    }
}
