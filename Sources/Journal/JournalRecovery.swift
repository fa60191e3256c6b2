import Records

/// What was found in a journal's folder.
package struct JournalReport: Sendable, Equatable {
    package struct Segment: Sendable, Equatable {
        package let name: String
        package let first: UInt64
        /// The number after its last frame.
        package var next: UInt64
        /// Up to the end of its last frame.
        package var bytes: Int
    }

    /// What a crash left of the last write: it was cut off.
    package struct Cut: Sendable, Equatable {
        package let segment: String
        package let offset: Int
        package let bytes: Int
    }

    package var segments: [Segment] = []
    package var cut: Cut?
    /// The writer did not end in order: the last segment was written and synced anew.
    package var wasUnclean = false

    /// The number that the next frame gets.
    package var next: UInt64 { segments.last?.next ?? 1 }
}

/// Opens a journal's folder after whatever happened to the process before.
enum JournalRecovery {
    static let recordVersions: ClosedRange<UInt32> = 1...RecordCoder.version

    /// Reads everything, changes nothing.
    static func inspect(_ disk: any Disk) throws(JournalError) -> JournalReport {
        try inspect(disk, tail: { _, _, _ in })
    }

    /// Makes the folder ready for a writer: the last segment is written anew and synced. It may hold frames that were
    /// written and never synced, and those of a failed sync, which the system takes for clean: only a new file is sure to
    /// be on the disk before anyone is told of them. That goes for a seal too. The segments before it were synced before
    /// it was begun.
    static func repair(_ disk: any Disk, salt: UInt64) throws(JournalError) -> JournalReport {
        try inspect(disk) { name, frames, header throws(DiskError) in
            var header = header
            header.salt = salt
            var bytes = header.encoded()
            var next = header.first
            for (index, payload) in frames.enumerated() {
                FrameFormat.append(
                    payload, sequence: next, unsynced: UInt32(truncatingIfNeeded: index), salt: salt, to: &bytes)
                next &+= 1
            }
            FrameFormat.append([], sequence: next, unsynced: 0, salt: salt, to: &bytes)
            let file = try disk.create(SegmentName.rewritten)
            try file.write(bytes, at: 0)
            try file.sync()
            try disk.rename(SegmentName.rewritten, to: name)
            try disk.syncFolder()
        }
    }

    /// - Parameter tail: What becomes of the last segment.
    private static func inspect(
        _ disk: any Disk,
        tail: (_ name: String, _ frames: [[UInt8]], SegmentHeader) throws(DiskError) -> Void
    ) throws(JournalError) -> JournalReport {
        do {
            var report = JournalReport()
            let names = try disk.names().filter { SegmentName.first(of: $0) != nil }
            for (index, name) in names.enumerated() {
                let bytes = try disk.read(name)
                let header = try header(of: bytes, name, after: report.segments.last)
                let isLast = index == names.count - 1
                var frames: [[UInt8]] = []
                let result = SegmentScanner(header: header).scan(bytes) { _, payload in
                    if isLast { frames.append(Array(bytes[payload])) }
                }
                switch result.kind {
                case .sealed: break
                case .open where isLast: report.wasUnclean = true
                case .torn(let count) where isLast:
                    report.wasUnclean = true
                    report.cut = JournalReport.Cut(segment: name, offset: result.end, bytes: count)
                case .open, .torn, .corrupt: throw JournalError.corrupt(segment: name, offset: result.end)
                }
                if isLast { try tail(name, frames, header) }
                report.segments.append(
                    JournalReport.Segment(name: name, first: header.first, next: result.next, bytes: result.end))
            }
            return report
        } catch let error as DiskError {
            throw .disk(error)
        } catch let error as JournalError {
            throw error
        } catch {
            throw .damagedHeader(segment: "\(error)")
        }
    }

    private static func header(
        of bytes: [UInt8], _ name: String, after last: JournalReport.Segment?
    ) throws(JournalError) -> SegmentHeader {
        let header: SegmentHeader
        do throws(SegmentHeader.Problem) {
            header = try SegmentHeader(bytes, recordVersions: recordVersions)
        } catch {
            switch error {
            case .damaged: throw .damagedHeader(segment: name)
            case .version(let version): throw .unknownVersion(segment: name, version: version)
            }
        }
        guard header.first == SegmentName.first(of: name) else { throw .damagedHeader(segment: name) }
        let expected = last?.next ?? 1
        guard header.first == expected else { throw .gap(segment: name, expected: expected, found: header.first) }
        return header
    }
}
