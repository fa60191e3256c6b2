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
        /// Empty where nobody looked into it.
        var sizes = FrameSizes()
    }

    /// What a crash left of the last write: it was cut off.
    package struct Cut: Sendable, Equatable {
        package let segment: String
        package let offset: Int
        package let bytes: Int
    }

    package struct Snapshot: Sendable, Equatable {
        package let name: String
        /// The number of the last frame that went into it.
        package let sequence: UInt64
    }

    package var segments: [Segment] = []
    /// Oldest first. None of them was looked into.
    package var snapshots: [Snapshot] = []
    package var cut: Cut?
    /// The writer did not end in order: the last segment was written and synced anew.
    package var wasUnclean = false

    /// The number that the next frame gets.
    package var next: UInt64 { segments.last?.next ?? 1 }
    package var last: UInt64 { next - 1 }
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

    /// What becomes of the last segment: its name, its bytes, where the payloads of its frames lie in them.
    private typealias Tail = (
        _ name: String, _ bytes: [UInt8], _ frames: [Range<Int>], FileHeader
    ) throws(DiskError) -> Void

    /// What the names say, for whoever works beside a writer: the segments that are closed. They are not looked into, so
    /// their bytes are not counted.
    static func survey(_ disk: any Disk) throws(JournalError) -> JournalReport {
        var (report, names) = try snapshots(on: disk)
        var firsts = names.compactMap(FileName.segment.number)
        if let last = names.last {
            let bytes = try JournalError.naming { () throws(DiskError) in try disk.read(last) }
            let result = SegmentScanner(header: try header(of: bytes, last)).scan(bytes) { _, _ in }
            if result.kind == .sealed { firsts.append(result.next) } else { names.removeLast() }
        }
        report.segments = zip(names, zip(firsts, firsts.dropFirst())).map { name, numbers in
            JournalReport.Segment(name: name, first: numbers.0, next: numbers.1, bytes: 0)
        }
        return report
    }

    private static func snapshots(on disk: any Disk) throws(JournalError) -> (JournalReport, segments: [String]) {
        let names = try JournalError.naming { () throws(DiskError) in try disk.names() }
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
            let bytes = try JournalError.naming { () throws(DiskError) in try disk.read(name) }
            let header = try header(of: bytes, name)
            // The first ones may be gone, as far as snapshots have what was in them.
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
                try JournalError.naming { () throws(DiskError) in try tail(name, bytes, frames, header) }
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
