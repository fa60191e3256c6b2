import ChatDomain
import Records

/// Reads the frames of segments that were found whole.
struct JournalReader {
    let disk: any Disk
    let report: JournalReport

    /// - Parameter body: May throw a `RecordError` or any other; it comes out with the frame's place.
    func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws(JournalError) {
        for segment in report.segments where segment.next > sequence {
            do {
                try read(segment, from: sequence, body)
            } catch let error as DiskError {
                throw .disk(error)
            } catch let error as JournalError {
                throw error
            } catch {
                throw .damagedHeader(segment: segment.name)
            }
        }
    }

    private func read(
        _ segment: JournalReport.Segment, from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void
    ) throws {
        let bytes = try disk.read(segment.name)
        let header = try SegmentHeader(bytes, recordVersions: JournalRecovery.recordVersions)
        let result = try SegmentScanner(header: header).scan(bytes) { number, payload in
            guard number >= sequence else { return }
            do {
                try body(number, try RecordCoder.decode(Array(bytes[payload])))
            } catch {
                throw JournalError.unreadable(
                    segment: segment.name, offset: payload.lowerBound - FrameFormat.headerSize, sequence: number,
                    reason: "\(error)")
            }
        }
        guard result.next == segment.next else { throw JournalError.corrupt(segment: segment.name, offset: result.end) }
    }
}
