import Records

/// The contents of a journal's folder.
package struct JournalReport: Sendable, Equatable {
    package struct Segment: Sendable, Equatable {
        package let name: String
        package let first: UInt64
        /// The number after the segment's last frame.
        package var next: UInt64
        /// The size in bytes, up to the end of the last frame.
        package var bytes: Int
        /// The frame sizes; empty if the segment was not scanned.
        var sizes = FrameSizes()
    }

    /// The torn remains of the last write before a crash, which were removed.
    package struct Cut: Sendable, Equatable {
        package let segment: String
        package let offset: Int
        package let bytes: Int
    }

    package struct Snapshot: Sendable, Equatable {
        package let name: String
        /// The number of the last frame covered by the snapshot.
        package let sequence: UInt64
    }

    package var segments: [Segment] = []
    /// The snapshots, oldest first. Their contents were not checked.
    package var snapshots: [Snapshot] = []
    package var cut: Cut?
    /// Whether the previous writer did not shut down cleanly.
    package var wasUnclean = false

    /// The number of the next frame.
    package var next: UInt64 { segments.last?.next ?? 1 }
    package var last: UInt64 { next - 1 }
}

/// Functions that open a journal's folder, however the previous process ended.
enum JournalRecovery {
    static let recordVersions: ClosedRange<UInt32> = 1...RecordCoder.version

    /// Reads all segments without changing them.
    static func inspect(_ disk: any Disk) throws(JournalError) -> JournalReport {
        try inspect(disk, tail: { _, _, _, _ in })
    }

    /// Prepares the folder for a writer by rewriting and syncing the last segment. That segment may contain frames that
    /// were never synced, and frames of a failed sync, whose pages the kernel considers clean. Only a new file
    /// guarantees that those frames, and a seal, are on disk before anyone sees them. Earlier segments were synced
    /// before the last one was begun.
    static func repair(_ disk: any Disk, salt: UInt64) throws(JournalError) -> JournalReport {
        try inspect(disk) { name, bytes, frames, header throws(DiskError) in
            let rewritten = FileHeader(
                .segment, contentVersion: header.contentVersion, salt: salt, number: header.number)
            var copy = rewritten.encoded()
            copy.reserveCapacity(bytes.count)
            var next = header.number
            for (index, payload) in frames.enumerated() {
                try FrameFormat.append(
                    Array(bytes[payload]), sequence: next, unsynced: UInt32(truncatingIfNeeded: index), salt: salt,
                    to: &copy)
                next &+= 1
            }
            try FrameFormat.append([], sequence: next, unsynced: 0, salt: salt, to: &copy)
            let file = try disk.create(FileName.rewritten)
            try file.write(copy, at: 0)
            try file.sync()
            try disk.rename(FileName.rewritten, to: name)
            try disk.syncFolder()
        }
    }

    /// A function that handles the last segment. `frames` are the ranges of the payloads.
    private typealias Tail = (
        _ name: String, _ bytes: [UInt8], _ frames: [Range<Int>], FileHeader
    ) throws(DiskError) -> Void

    /// Lists the closed segments; safe while a writer is active. Only the last segment is scanned, to find out whether
    /// it is closed, so `bytes` is 0.
    static func survey(_ disk: any Disk) throws(JournalError) -> JournalReport {
        var (report, names) = try snapshots(on: disk)
        var firsts = names.compactMap(FileName.segment.number)
        if let last = names.last {
            let bytes = try JournalError.wrapping { () throws(DiskError) in try disk.read(last) }
            let result = SegmentScanner(header: try header(of: bytes, last)).scan(bytes) { _, _ in }
            if result.kind == .sealed { firsts.append(result.next) } else { names.removeLast() }
        }
        report.segments = zip(names, zip(firsts, firsts.dropFirst())).map { name, numbers in
            JournalReport.Segment(name: name, first: numbers.0, next: numbers.1, bytes: 0)
        }
        return report
    }

    private static func snapshots(on disk: any Disk) throws(JournalError) -> (JournalReport, segments: [String]) {
        let names = try JournalError.wrapping { () throws(DiskError) in try disk.names() }
        var report = JournalReport()
        report.snapshots = names.compactMap { name in
            FileName.snapshot.number(of: name).map { JournalReport.Snapshot(name: name, sequence: $0) }
        }
        return (report, names.filter { FileName.segment.number(of: $0) != nil })
    }

    private static func inspect(_ disk: any Disk, tail: Tail) throws(JournalError) -> JournalReport {
        var (report, names) = try snapshots(on: disk)
        let newest = report.snapshots.last?.sequence ?? 0
        for (index, name) in names.enumerated() {
            let bytes = try JournalError.wrapping { () throws(DiskError) in try disk.read(name) }
            let header = try header(of: bytes, name)
            // The first segments may have been deleted if a snapshot covers them.
            let expected = index == 0 ? min(header.number, newest + 1) : report.next
            guard header.number == expected else {
                throw .gap(segment: name, expected: expected, found: header.number)
            }
            let isLast = index == names.count - 1
            var frames: [Range<Int>] = []
            var sizes = FrameSizes()
            let result = SegmentScanner(header: header).scan(bytes) { number, payload in
                sizes.add(number, bytes: payload.count + FrameFormat.headerSize)
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
                try JournalError.wrapping { () throws(DiskError) in try tail(name, bytes, frames, header) }
            }
            report.segments.append(
                JournalReport.Segment(
                    name: name, first: header.number, next: result.next, bytes: result.end, sizes: sizes))
        }
        guard report.next > newest else { throw .endMissing(next: report.next, snapshot: newest) }
        return report
    }

    static func header(of bytes: [UInt8], _ name: String) throws(JournalError) -> FileHeader {
        let header: FileHeader
        do throws(FileHeader.Problem) {
            header = try FileHeader(.segment, bytes, versions: recordVersions)
        } catch {
            switch error {
            case .damaged: throw .damagedHeader(segment: name)
            case .version(let version): throw .unknownVersion(segment: name, version: version)
            }
        }
        guard header.number > 0, header.number == FileName.segment.number(of: name) else {
            throw .damagedHeader(segment: name)
        }
        return header
    }
}
