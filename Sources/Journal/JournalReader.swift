import ChatDomain
import Records

/// Reads the frames of segments that were found whole.
struct JournalReader {
    let disk: any Disk
    let report: JournalReport

    /// - Parameter body: May throw a `RecordError` or any other; it comes out with the frame's place.
    func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws(JournalError) {
        for segment in report.segments where segment.next > sequence {
            let bytes = try JournalError.naming { () throws(DiskError) in try disk.read(segment.name) }
            let header = try JournalRecovery.header(of: bytes, segment.name)
            let result = try SegmentScanner(header: header).scan(bytes) { number, payload throws(JournalError) in
                guard number >= sequence else { return }
                do {
                    try body(number, try RecordCoder.decode(Array(bytes[payload])))
                } catch {
                    throw .unreadable(
                        segment: segment.name, offset: payload.lowerBound - FrameFormat.headerSize, sequence: number,
                        reason: "\(error)")
                }
            }
            guard result.next == segment.next else { throw .corrupt(segment: segment.name, offset: result.end) }
        }
    }
}
