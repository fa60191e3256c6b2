/// A writer for a file of frames, numbered from 1, that a seal ends. The file gets its final name once all of it is on
/// disk.
final class SealedFileWriter {
    /// The number of bytes to write before each sync. A sync of the journal also waits for dirty pages of other files,
    /// so they must stay few.
    private static let slice = 1_048_576

    private let disk: any Disk
    private let header: FileHeader
    private let unfinished: String
    private let file: any DiskFile
    private var buffer: [UInt8]
    private var written = 0
    private var number: UInt64 = 1

    /// - Parameter unfinished: The name of the file until it is complete.
    init(_ disk: any Disk, _ header: FileHeader, unfinished: String) throws(JournalError) {
        self.disk = disk
        self.header = header
        self.unfinished = unfinished
        file = try JournalError.wrapping { () throws(DiskError) in try disk.create(unfinished) }
        buffer = header.encoded()
    }

    /// - Returns: Where the frame begins, and its size in bytes.
    func append(_ payload: [UInt8]) throws(JournalError) -> (offset: Int, size: Int) {
        let start = buffer.count
        do throws(DiskError) {
            try FrameFormat.append(payload, sequence: number, unsynced: 0, salt: header.salt, to: &buffer)
        } catch {
            throw .disk(error)
        }
        number += 1
        let place = (offset: written + start, size: buffer.count - start)
        if buffer.count >= Self.slice { try write() }
        return place
    }

    /// - Returns: The size of the file in bytes.
    func finish(as name: String) throws(JournalError) -> Int {
        _ = try append([])
        if !buffer.isEmpty { try write() }
        let (disk, unfinished) = (disk, unfinished)
        try JournalError.wrapping { () throws(DiskError) in
            try disk.rename(unfinished, to: name)
            try disk.syncFolder()
        }
        return written
    }

    private func write() throws(JournalError) {
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
