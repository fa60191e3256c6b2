import ChatDomain

/// The files of a journal's folder as one moment shows them, to be copied piece by piece while a server writes to it.
///
/// The listed bytes never change, and the files stay as long as the journal is not compacted.
package struct JournalPieces: Sendable, Equatable {
    package struct File: Sendable, Equatable {
        package let name: String
        /// The number of bytes to copy, from the file's beginning.
        package let size: Int

        package init(name: String, size: Int) {
            self.name = name
            self.size = size
        }
    }

    /// Snapshots and blocks first, then segments, in the order of frames.
    package let files: [File]
    /// The number of the last frame; 0 if there is none.
    package let last: UInt64

    package init(files: [File], last: UInt64) {
        self.files = files
        self.last = last
    }

    /// Lists the files. Includes every frame acknowledged before.
    package init(of disk: any Disk) throws(JournalError) {
        let (snapshots, segments) = try JournalBackup.names(on: disk)
        var files: [File] = []
        for name in snapshots + segments.dropLast() {
            let size = try JournalError.wrapping { () throws(DiskError) in try disk.size(of: name) }
            files.append(File(name: name, size: size))
        }
        var last: UInt64 = 0
        if let name = segments.last {
            let frames = try JournalBackup.frames(of: name, on: disk)
            files.append(File(name: name, size: frames.end))
            last = frames.last
        }
        self.init(files: files, last: last)
    }

    /// Whether a file of this name may be part of a copy, so that a peer cannot write to any other place.
    package static func isPiece(_ name: String) -> Bool {
        [FileName.snapshot, .blocks, .segment].contains { $0.number(of: name) != nil }
    }

    /// Checks a completed copy as a starting server reads it, and prepares it for that.
    ///
    /// - Returns: The number of its last frame.
    /// - Throws: When a part of it is missing or damaged.
    package static func verify(_ copy: any Disk, salt: UInt64) throws(JournalError) -> UInt64 {
        let report = try JournalRecovery.repair(copy, salt: salt)
        let journal = try ReadOnlyJournal(copy)
        if let error = journal.unreadableBlock(in: try journal.state { _ in }) { throw error }
        return report.last
    }

    /// The number of the last frame in a folder; 0 if there is none. Changes nothing.
    package static func last(on disk: any Disk) throws(JournalError) -> UInt64 {
        let (_, segments) = try JournalBackup.names(on: disk)
        guard let name = segments.last else { return 0 }
        return try JournalBackup.frames(of: name, on: disk).last
    }

    /// The checksum of a piece: CRC-32.
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var checksum = CRC32()
        bytes.withUnsafeBytes { checksum.add($0) }
        return checksum.value
    }
}
