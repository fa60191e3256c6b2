import ChatDomain
import Records

/// A sequential reader for a snapshot that reads a few megabytes at a time.
///
///     header | one frame for each piece of the state, numbered from 1 | a seal
struct SnapshotReader {
    static let versions: ClosedRange<UInt32> = 1...StateCoder.version

    let disk: any Disk
    let name: String
    var threads = 4

    /// - Parameter body: Receives the pieces in order.
    /// - Throws: If the snapshot is damaged. The pieces received so far must then be discarded.
    func read(_ body: (StatePart) throws(StatePart.Problem) -> Void) throws(JournalError) {
        var reader = ReadAheadDecoder(threads: threads) { (bytes: [UInt8]) in
            StateCoder.decoded(bytes)
        }
        try payloads { bytes throws(JournalError) in
            try reader.add(bytes) { part throws(JournalError) in try Self.deliver(part, of: name, body) }
        }
        try reader.finish { part throws(JournalError) in try Self.deliver(part, of: name, body) }
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
