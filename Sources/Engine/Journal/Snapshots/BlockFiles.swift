import ChatDomain
import Records
import Synchronization

/// The files of blocks in a journal's folder, from which bodies are read. Any thread may read.
///
///     header | one frame for each block, numbered from 1 | a seal
package final class BlockFiles: BlockReader {
    private struct File {
        let file: any OpenFile
        let header: FileHeader
    }

    private let disk: any Disk
    /// Kept open, so that they can be read until nothing refers to them, even if another process compacts the journal.
    private let files = Mutex<[UInt64: File]>([:])
    private let failures = Mutex<JournalError?>(nil)

    package init(_ disk: any Disk) { self.disk = disk }

    /// The first failure of the disk.
    var failure: JournalError? { failures.withLock(\.self) }

    /// Opens the files with these numbers, and closes all others.
    ///
    /// - Throws: If a file is missing or damaged.
    func keepOpen(_ numbers: Set<UInt64>) throws(JournalError) {
        for number in numbers.sorted() { _ = try file(number) }
        files.withLock { files in files = files.filter { numbers.contains($0.key) } }
    }

    package func read(_ reference: BlockReference) -> BlockContents {
        do throws(JournalError) {
            return try bodies(reference).map { .bodies($0) } ?? .damaged
        } catch {
            guard case .disk(let disk) = error, !disk.isMissing else { return .damaged }
            failures.withLock { failure in if failure == nil { failure = error } }
            return .unavailable
        }
    }

    package func retain(_ numbers: Set<UInt64>) -> String? {
        do throws(JournalError) {
            try keepOpen(numbers)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func bodies(_ reference: BlockReference) throws(JournalError) -> [MessageBody]? {
        let found = try file(reference.file)
        let size = Int(reference.size)
        guard let offset = Int(exactly: reference.offset), offset <= Int.max - size, size <= FrameFormat.limit else {
            return nil
        }
        let bytes = try JournalError.wrapping { () throws(DiskError) in
            try found.file.read(at: offset, upTo: size)
        }
        guard bytes.count == size,
            let frame = bytes.withUnsafeBytes({ FrameFormat.frame(at: 0, of: $0, in: found.header) }),
            frame.payload.upperBound == size
        else { return nil }
        return try? BlockCoder.decode(Array(bytes[frame.payload]))
    }

    private func file(_ number: UInt64) throws(JournalError) -> File {
        if let file = files.withLock({ $0[number] }) { return file }
        let name = FileName.blocks.name(number)
        let disk = disk
        let (file, bytes) = try JournalError.wrapping { () throws(DiskError) in
            let file = try disk.open(name)
            return (file, try file.read(at: 0, upTo: FileHeader.size))
        }
        let header: FileHeader
        do throws(FileHeader.Problem) {
            header = try FileHeader(.blocks, bytes, versions: 1...BlockCoder.version)
            guard header.number == number else { throw .damaged }
        } catch {
            switch error {
            case .damaged: throw .damagedHeader(segment: name)
            case .version(let version): throw .unknownVersion(segment: name, version: version)
            }
        }
        let found = File(file: file, header: header)
        files.withLock { $0[number] = found }
        return found
    }
}
