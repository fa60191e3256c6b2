import ChatDomain
import ChatModel
import Records

/// A sequential reader for a snapshot that reads a few megabytes at a time.
///
///     header | one frame for each piece of the state, numbered from 1 | a seal
struct SnapshotReader {
    static let versions: ClosedRange<UInt32> = 1...StateCoder.version

    let disk: any Disk
    let name: String
    var threads = 4
    /// Where the runs of messages are; `nil` to deliver references to them instead of the messages.
    var runs: BlockFiles?

    /// - Parameter body: Receives the pieces in order.
    /// - Throws: If the snapshot or a run is damaged. The pieces received so far must then be discarded.
    func read(_ body: (StatePart) throws(StatePart.Problem) -> Void) throws(JournalError) {
        let (name, runs) = (name, runs)
        var reader = ReadAheadDecoder(threads: threads) { (bytes: [UInt8]) in
            Result { () throws(JournalError) in try Self.decode(bytes, of: name, runs) }
        }
        func deliver(_ parts: Result<[StatePart], JournalError>) throws(JournalError) {
            for part in try parts.get() { try Self.deliver(.success(part), of: name, body) }
        }
        try payloads { bytes throws(JournalError) in try reader.add(bytes, deliver) }
        try reader.finish(deliver)
    }

    /// Decodes a piece, and the runs to which it refers.
    private static func decode(
        _ bytes: [UInt8], of name: String, _ files: BlockFiles?
    ) throws(JournalError) -> [StatePart] {
        let part: StatePart
        do throws(RecordError) { part = try StateCoder.decode(bytes) } catch {
            throw .unusableSnapshot(name, reason: "\(error)")
        }
        guard let files, case .runs(let channel, var first, let runs) = part else { return [part] }
        var parts: [StatePart] = []
        for run in runs {
            guard let read = try messages(of: run, in: channel, files, of: name) else {
                let file = FileName.blocks.name(run.reference.file)
                throw .unusableSnapshot(name, reason: "\(file) is damaged at byte \(run.reference.offset)")
            }
            parts += RunPart.inChannel(read, first: first)
            first += run.count
        }
        return parts
    }

    /// - Returns: The pieces of a run; `nil` if they are damaged or another channel's.
    private static func messages(
        of run: RunPart, in channel: ChannelID, _ files: BlockFiles, of name: String
    ) throws(JournalError) -> [StatePart]? {
        do throws(JournalError) {
            return try files.run(run.reference).flatMap { run.fits($0, channel) ? $0 : nil }
        } catch {
            switch error {
            case .disk(let disk) where !disk.isMissing: throw error
            case .unknownVersion: throw error
            // An older snapshot and the frames after it have the messages as well.
            default: throw .unusableSnapshot(name, reason: "\(error)")
            }
        }
    }

    /// Passes a decoded piece to `body`, and wraps errors.
    static func deliver(
        _ part: Result<StatePart, RecordError>, of name: String, _ body: (StatePart) throws(StatePart.Problem) -> Void
    ) throws(JournalError) {
        let decoded: StatePart
        do throws(RecordError) { decoded = try part.get() } catch {
            throw .unusableSnapshot(name, reason: "\(error)")
        }
        do throws(StatePart.Problem) { try body(decoded) } catch {
            throw .unusableSnapshot(name, reason: "\(error)")
        }
    }

    private func payloads(_ body: ([UInt8]) throws(JournalError) -> Void) throws(JournalError) {
        var window = FileWindow(disk: disk, name: name)
        guard let start = try window.read(FileHeader.size) else { throw damaged(at: 0) }
        let header = try header(start)
        var number: UInt64 = 1
        while true {
            let offset = window.offset
            guard let length = try window.peek(4).map(Array.init) else { throw damaged(at: offset) }
            let size = FrameFormat.headerSize + Int(min(length.littleEndian(at: 0), UInt32(FrameFormat.limit)))
            guard let bytes = try window.read(size),
                let frame = bytes.withUnsafeBytes({ FrameFormat.frame(at: 0, of: $0, in: header) }),
                frame.sequence == number
            else { throw damaged(at: offset) }
            if frame.payload.isEmpty { break }
            try body(Array(bytes[frame.payload]))
            number += 1
        }
        guard try window.peek(1) == nil else { throw damaged(at: window.offset) }
    }

    private func damaged(at offset: Int) -> JournalError {
        .unusableSnapshot(name, reason: "damaged at byte \(offset)")
    }

    private func header(_ bytes: [UInt8]) throws(JournalError) -> FileHeader {
        do throws(FileHeader.Problem) {
            let header = try FileHeader(.snapshot, bytes, versions: Self.versions)
            guard header.number == FileName.snapshot.number(of: name) else { throw .damaged }
            return header
        } catch {
            switch error {
            case .damaged: throw .unusableSnapshot(name, reason: "its header cannot be read")
            case .version(let version): throw .unknownVersion(segment: name, version: version)
            }
        }
    }
}
