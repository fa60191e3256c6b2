import ChatDomain
import FoundationEssentials
import Glibc
import Journal

/// The contents of a backup or a restored data folder.
public struct DataFolderCopy: Sendable {
    /// The number of the last frame.
    public let frames: UInt64
    /// The number of users.
    public let users: Int
    /// The number of channels.
    public let channels: Int
    /// The number of copied uploads.
    public let files: Int
    /// The number of uploads that the chat refers to but the source lacks.
    public let missingFiles: Int
    /// Damaged snapshots that were skipped in favour of an older one.
    public let damaged: [String]
}

/// The operations of `belfry data` on a data folder.
public enum DataFolderTools {
    /// Copies a data folder, including everything acknowledged before the call, even while a server uses it. Does not
    /// copy the keys of a development-mode server.
    ///
    /// - Parameters:
    ///   - path: The data folder.
    ///   - target: Must not exist or must be empty.
    /// - Throws: When a folder cannot be used, the target is not empty, or the data is damaged.
    public static func backUp(_ path: String, to target: String) throws(ConfigurationError) -> DataFolderCopy {
        let journal = path + "/journal"
        try DataFolder.checkOwner(journal)
        try requireEmpty(target)
        return try naming { () throws(JournalError) in
            let (source, copy) = (PosixDisk(existing: journal), try disk(target + "/journal"))
            let lock = try lock(journal)
            defer { withExtendedLifetime(lock) {} }
            let frames = try JournalBackup(of: source, to: copy).run(salt: .random(in: .min ... .max))
            var damaged: [String] = []
            let state = try ReadOnlyJournal(copy).state { damaged.append("\($0)") }
            return try finish(state, frames, from: path, to: target, damaged)
        }
    }

    /// Turns a backup into a new data folder. Its rooms start new epochs, so clients with a position from the original
    /// must reload.
    ///
    /// - Parameters:
    ///   - copy: A folder made by `backUp`.
    ///   - target: Must not exist or must be empty.
    /// - Throws: When a folder cannot be used, the target is not empty, or the copy is damaged.
    public static func restore(_ copy: String, to target: String) throws(ConfigurationError) -> DataFolderCopy {
        try requireEmpty(target)
        return try naming { () throws(JournalError) in
            let source = PosixDisk(existing: copy + "/journal")
            var random = SystemRandomNumberGenerator()
            var damaged: [String] = []
            let restoration = JournalRestoration(of: source, to: try disk(target + "/journal"))
            let (state, frames) = try restoration.run(&random) { damaged.append("\($0)") }
            return try finish(state, frames, from: copy, to: target, damaged)
        }
    }

    /// Makes a snapshot and deletes files that are no longer needed, even while a server runs.
    ///
    /// - Parameters:
    ///   - path: The data folder.
    ///   - kept: The number of frames at the journal's end to leave out of the snapshot, so that clients can recover
    ///     their events.
    ///   - bytes: The maximum size of those frames.
    /// - Returns: `nil` when there is nothing to do.
    /// - Throws: When the folder cannot be used or is damaged.
    public static func compact(
        _ path: String, keeping kept: Int, bytes: Int = 67_108_864
    ) throws(ConfigurationError) -> Compacted? {
        let journal = path + "/journal"
        try DataFolder.checkOwner(journal)
        // Frames not yet delivered to a webhook stay in the journal.
        let limit = try WebhookFolder.lowestCursor(of: path) ?? .max
        return try naming { () throws(JournalError) in
            let lock = try lock(journal)
            defer { withExtendedLifetime(lock) {} }
            let compaction = Compaction(
                PosixDisk(existing: journal), keeping: kept, bytes: bytes, through: limit,
                salt: .random(in: .min ... .max))
            return try compaction.run().map { result in
                Compacted(
                    frame: result.sequence, bytes: result.bytes, removed: result.removed,
                    damaged: result.damaged.map { "\($0)" })
            }
        }
    }

    /// The result of a compaction.
    public struct Compacted: Sendable {
        /// The number of the last frame in the snapshot.
        public let frame: UInt64
        /// The size of the snapshot.
        public let bytes: Int
        /// Names of the deleted files.
        public let removed: [String]
        /// Unreadable snapshots, one line each; the new one replaces them.
        public let damaged: [String]
    }

    private static func finish(
        _ state: ChatState, _ frames: UInt64, from path: String, to target: String, _ damaged: [String]
    ) throws(JournalError) -> DataFolderCopy {
        try copyLedger(from: path, to: target)
        let (files, missing) = try copyFiles(state.fileIDs.map(\.description).sorted(), from: path, to: target)
        return DataFolderCopy(
            frames: frames, users: state.userCount, channels: state.channelCount, files: files, missingFiles: missing,
            damaged: damaged)
    }

    /// Copies the ledger of deleted users, so that the copy's chat repeats their deletions (`PR1`).
    private static func copyLedger(from path: String, to target: String) throws(JournalError) {
        let (source, copy) = (PosixDisk(existing: path), PosixDisk(existing: target))
        let names = try JournalError.wrapping { () throws(DiskError) in try source.names() }
        if names.contains(ErasureLedger.name) { try source.copy(ErasureLedger.name, to: copy) }
    }

    private static func copyFiles(
        _ names: [String], from path: String, to target: String
    ) throws(JournalError) -> (copied: Int, missing: Int) {
        let (source, copy) = (PosixDisk(existing: path + "/files"), try disk(target + "/files"))
        var missing = 0
        for name in names {
            do throws(JournalError) {
                try source.copy(name, to: copy)
            } catch {
                guard case .disk(let disk) = error, disk.code == ENOENT else { throw error }
                missing += 1
            }
        }
        return (names.count - missing, missing)
    }

    /// Takes the lock, waiting while another snapshot is in progress.
    static func lock(_ journal: String) throws(JournalError) -> FileLock? {
        try JournalError.wrapping { () throws(DiskError) in
            try FileLock(journal + "/" + Compaction.lockName, isBlocking: true)
        }
    }

    private static func disk(_ path: String) throws(JournalError) -> PosixDisk {
        try JournalError.wrapping { () throws(DiskError) in try PosixDisk(folder: path) }
    }

    /// Creates the folder if it is missing, and throws unless it is empty.
    private static func requireEmpty(_ path: String) throws(ConfigurationError) {
        try DataFolder.make(path)
        let isEmpty = try naming { () throws(JournalError) in
            try JournalError.wrapping { () throws(DiskError) in try PosixDisk(existing: path).names().isEmpty }
        }
        guard isEmpty else {
            throw ConfigurationError("\"\(path)\" is not empty: use an empty folder or one that does not exist")
        }
    }

    static func naming<Result>(
        _ body: () throws(JournalError) -> Result
    ) throws(ConfigurationError) -> Result {
        do throws(JournalError) { return try body() } catch { throw Storage.refusal(error) }
    }
}
