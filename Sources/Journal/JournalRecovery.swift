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
        try inspect(disk, tail: { _, _, _, _ in })
    }

    /// Makes the folder ready for a writer: the last segment is written anew and synced. It may hold frames that were
    /// written and never synced, and those of a failed sync, which the system takes for clean: only a new file is sure to
    /// be on the disk before anyone is told of them. That goes for a seal too. The segments before it were synced before
    /// it was begun.
    static func repair(_ disk: any Disk, salt: UInt64) throws(JournalError) -> JournalReport {
        try inspect(disk) { name, bytes, frames, header throws(DiskError) in
            var rewritten = header
            rewritten.salt = salt
            var copy = rewritten.encoded()
            copy.reserveCapacity(bytes.count)
            var next = header.first
            for (index, payload) in frames.enumerated() {
                FrameFormat.append(
                    Array(bytes[payload]), sequence: next, unsynced: UInt32(truncatingIfNeeded: index), salt: salt,
                    to: &copy)
                next &+= 1
            }
            FrameFormat.append([], sequence: next, unsynced: 0, salt: salt, to: &copy)
            let file = try disk.create(SegmentName.rewritten)
            try file.write(copy, at: 0)
            try file.sync()
            try disk.rename(SegmentName.rewritten, to: name)
            try disk.syncFolder()
        }
    }

    /// What becomes of the last segment: its name, its bytes, where the payloads of its frames lie in them.
    private typealias Tail = (
        _ name: String, _ bytes: [UInt8], _ frames: [Range<Int>], SegmentHeader
    ) throws(DiskError) -> Void

    private static func inspect(_ disk: any Disk, tail: Tail) throws(JournalError) -> JournalReport {
        var report = JournalReport()
        let found = try JournalError.naming { () throws(DiskError) in try disk.names() }
        let names = found.filter { SegmentName.first(of: $0) != nil }
        for (index, name) in names.enumerated() {
            let bytes = try JournalError.naming { () throws(DiskError) in try disk.read(name) }
            let header = try header(of: bytes, name)
            guard header.first == report.next else {
                throw .gap(segment: name, expected: report.next, found: header.first)
            }
            let isLast = index == names.count - 1
            var frames: [Range<Int>] = []
            let result = SegmentScanner(header: header).scan(bytes) { _, payload in
                if isLast { frames.append(payload) }
            }
            switch result.kind {
            case .sealed: break
            case .open where isLast: report.wasUnclean = true
            case .torn(let count) where isLast:
                report.wasUnclean = true
                report.cut = JournalReport.Cut(segment: name, offset: result.end, bytes: count)
            case .open, .torn, .corrupt: throw .corrupt(segment: name, offset: result.end)
            }
            if isLast {
                try JournalError.naming { () throws(DiskError) in try tail(name, bytes, frames, header) }
            }
            report.segments.append(
                JournalReport.Segment(name: name, first: header.first, next: result.next, bytes: result.end))
        }
        return report
    }

    static func header(of bytes: [UInt8], _ name: String) throws(JournalError) -> SegmentHeader {
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
        return header
    }
}
