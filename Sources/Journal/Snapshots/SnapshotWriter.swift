import ChatDomain
import Records

/// Writes a snapshot piece by piece. It has its name only once all of it is on the disk.
struct SnapshotWriter: ~Copyable {
    /// Bytes that are written and synced at once: a sync of the journal's waits for what other files have left to write,
    /// so that is never let grow.
    private static let slice = 1_048_576

    private let disk: any Disk
    private let sequence: UInt64
    private let salt: UInt64
    private let file: any DiskFile
    private var buffer: [UInt8]
    private var written = 0
    private var number: UInt64 = 1

    /// - Parameter sequence: Of the last frame that went into it.
    init(_ disk: any Disk, sequence: UInt64, salt: UInt64) throws(DiskError) {
        self.disk = disk
        self.sequence = sequence
        self.salt = salt
        file = try disk.create(FileName.unfinished)
        let header = FileHeader(.snapshot, contentVersion: StateCoder.version, salt: salt, number: sequence)
        buffer = header.encoded()
    }

    mutating func add(_ part: StatePart) throws(DiskError) {
        guard let payload = StateCoder.encode(part), !payload.isEmpty else {
            preconditionFailure("a piece of the state of more than 2 GiB")
        }
        append(payload)
        if buffer.count >= Self.slice { try write() }
    }

    /// - Returns: The size in bytes.
    consuming func finish() throws(DiskError) -> Int {
        append([])
        try write()
        try disk.rename(FileName.unfinished, to: FileName.snapshot.name(sequence))
        try disk.syncFolder()
        return written
    }

    private mutating func append(_ payload: [UInt8]) {
        FrameFormat.append(payload, sequence: number, unsynced: 0, salt: salt, to: &buffer)
        number += 1
    }

    private mutating func write() throws(DiskError) {
        try file.write(buffer, at: written)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
        try file.sync()
    }
}
