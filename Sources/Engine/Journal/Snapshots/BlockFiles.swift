import ChatDomain
import Records
import Synchronization

/// The files of blocks in a journal's folder, from which bodies and runs of messages are read. Any thread may read.
///
///     header | one frame for each block and each piece of a run, numbered from 1 | a seal
package final class BlockFiles: BlockReader {
    private struct File {
        let file: any OpenFile
        let header: FileHeader
    }

    private let disk: any Disk
    /// Kept open, so that they can be read until nothing refers to them, even if another process compacts the journal.
    private let files = Mutex<[UInt64: File]>([:])
    private let failures = Mutex<JournalError?>(nil)

    /// What is read at once, in bytes. Blocks and pieces of runs are rarely larger.
    private let slice: Int

    package init(_ disk: any Disk, slice: Int = 4_194_304) {
        self.disk = disk
        self.slice = slice
    }

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

    package func readRun(_ reference: BlockReference) -> RunContents {
        do throws(JournalError) {
            return try run(reference).map { .parts($0) } ?? .damaged
        } catch {
            guard case .disk(let disk) = error, !disk.isMissing else { return .damaged }
            failures.withLock { failure in if failure == nil { failure = error } }
            return .unavailable
        }
    }

    /// - Returns: The pieces of a run; `nil` if they are damaged.
    func run(_ reference: BlockReference) throws(JournalError) -> [StatePart]? {
        guard let payloads = try payloads(reference) else { return nil }
        var parts: [StatePart] = []
        for payload in payloads {
            guard let part = try? StateCoder.decode(payload) else { return nil }
            parts.append(part)
        }
        return parts
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
        guard let payloads = try payloads(reference), payloads.count == 1 else { return nil }
        return try? BlockCoder.decode(payloads[0])
    }

    /// Returns the payloads of the frames that fill a part of a file; `nil` if they are damaged.
    private func payloads(_ reference: BlockReference) throws(JournalError) -> [[UInt8]]? {
        let found = try file(reference.file)
        guard var place = Int(exactly: reference.offset), place <= Int.max - Int(reference.size) else { return nil }
        let end = place + Int(reference.size)
        var payloads: [[UInt8]] = []
        var size = slice
        while place < end {
            let wanted = min(size, end - place)
            let bytes = try JournalError.wrapping { () throws(DiskError) in
                try found.file.read(at: place, upTo: wanted)
            }
            guard bytes.count == wanted else { return nil }
            let read = FrameFormat.frames(in: bytes, found.header)
            payloads += read.payloads
            place += read.end
            guard read.end == 0 else { continue }
            // A frame that is larger than the slice, or damaged.
            guard let whole = FrameFormat.claimedSize(of: bytes), whole > size else { return nil }
            size = whole
        }
        return payloads
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
