import ChatDomain
import Records

/// A reader for the frames of verified segments.
struct JournalReader {
    private static let batch = 128

    private struct Frame: Sendable {
        let sequence: UInt64
        let offset: Int
        let payload: [UInt8]
    }

    private struct Decoded: Sendable {
        let frame: Frame
        let records: Result<[Record], RecordError>
    }

    let disk: any Disk
    let report: JournalReport
    var threads = 4

    /// - Parameter body: Called with each frame. Its errors are rethrown with the frame's position.
    func read(
        from sequence: UInt64, through last: UInt64 = .max, _ body: (UInt64, [Record]) throws -> Void
    ) throws(JournalError) {
        for segment in report.segments where segment.next > sequence && segment.first <= last {
            let bytes = try JournalError.wrapping { () throws(DiskError) in try disk.read(segment.name) }
            let header = try JournalRecovery.header(of: bytes, segment.name)
            var decoding = ReadAheadDecoder(threads: threads) { (frames: [Frame]) in frames.map(Self.decoded) }
            var batch: [Frame] = []
            let result = try SegmentScanner(header: header).scan(bytes) { number, payload throws(JournalError) in
                guard number >= sequence, number <= last else { return }
                batch.append(
                    Frame(
                        sequence: number, offset: payload.lowerBound - FrameFormat.headerSize,
                        payload: Array(bytes[payload])))
                guard batch.count == Self.batch else { return }
                try decoding.add(batch) { frames throws(JournalError) in try deliver(frames, of: segment.name, body) }
                batch.removeAll(keepingCapacity: true)
            }
            try decoding.add(batch) { frames throws(JournalError) in try deliver(frames, of: segment.name, body) }
            try decoding.finish { frames throws(JournalError) in try deliver(frames, of: segment.name, body) }
            guard result.next == segment.next else { throw .corrupt(segment: segment.name, offset: result.end) }
        }
    }

    private static func decoded(_ frame: Frame) -> Decoded {
        Decoded(
            frame: frame, records: Result { () throws(RecordError) in try RecordCoder.decode(frame.payload) })
    }

    private func deliver(
        _ frames: [Decoded], of segment: String, _ body: (UInt64, [Record]) throws -> Void
    ) throws(JournalError) {
        for decoded in frames {
            do {
                try body(decoded.frame.sequence, try decoded.records.get())
            } catch {
                throw .unreadable(
                    segment: segment, offset: decoded.frame.offset, sequence: decoded.frame.sequence,
                    reason: "\(error)")
            }
        }
    }
}
