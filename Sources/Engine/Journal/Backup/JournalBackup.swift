import ChatDomain

/// A copy operation for a journal's folder. It also works while a server writes to the folder, and includes every frame
/// acknowledged before it began.
///
/// Do not compact the journal during the copy.
package struct JournalBackup {
    /// How many times to read the end of a segment that is being written.
    private static let attempts = 3

    let source: any Disk
    let target: any Disk

    package init(of source: any Disk, to target: any Disk) {
        self.source = source
        self.target = target
    }

    /// - Returns: The number of the last frame in the copy.
    package func run(salt: UInt64) throws(JournalError) -> UInt64 {
        let (snapshots, segments) = try Self.names(on: source)
        for name in snapshots { try source.copy(name, to: target) }
        for name in segments.dropLast() { try source.copy(name, to: target) }
        if let last = segments.last { try copyFrames(of: last) }
        try JournalError.wrapping { () throws(DiskError) in try target.syncFolder() }
        return try JournalRecovery.repair(target, salt: salt).last
    }

    /// - Returns: The snapshots with their files of blocks, and the segments.
    static func names(on disk: any Disk) throws(JournalError) -> (snapshots: [String], segments: [String]) {
        let names = try JournalError.wrapping { () throws(DiskError) in try disk.names() }
        return (
            names.filter { FileName.snapshot.number(of: $0) != nil || FileName.blocks.number(of: $0) != nil },
            names.filter { FileName.segment.number(of: $0) != nil }
        )
    }

    private func copyFrames(of name: String) throws(JournalError) {
        let (bytes, end, _) = try Self.frames(of: name, on: source)
        try JournalError.wrapping { () throws(DiskError) in
            let file = try target.create(name)
            try file.write(Array(bytes[..<end]), at: 0)
            try file.sync()
        }
    }

    /// Reads the complete frames of the last segment. A frame read during its write looks torn, or corrupt if the next
    /// one already follows it. Only corruption at the same offset on every attempt is an error.
    ///
    /// - Returns: The segment's bytes, the end of its last frame, and the number of that frame.
    static func frames(
        of name: String, on disk: any Disk
    ) throws(JournalError) -> (bytes: [UInt8], end: Int, last: UInt64) {
        var ends: [Int] = []
        while true {
            let bytes = try JournalError.wrapping { () throws(DiskError) in try disk.read(name) }
            let header = try JournalRecovery.header(of: bytes, name)
            let result = SegmentScanner(header: header).scan(bytes) { _, _ in }
            ends.append(result.end)
            if result.kind == .corrupt, ends.count < Self.attempts { continue }
            if result.kind == .corrupt, Set(ends).count == 1 { throw .corrupt(segment: name, offset: result.end) }
            return (bytes, result.end, result.next - 1)
        }
    }
}

extension Disk {
    /// Copies a file of any size and syncs it.
    package func copy(_ name: String, to target: any Disk) throws(JournalError) {
        var window = FileWindow(disk: self, name: name)
        let file = try JournalError.wrapping { () throws(DiskError) in try target.create(name) }
        var offset = 0
        while let bytes = try window.readSome() {
            let start = offset
            try JournalError.wrapping { () throws(DiskError) in try file.write(bytes, at: start) }
            offset += bytes.count
        }
        try JournalError.wrapping { () throws(DiskError) in try file.sync() }
    }
}
