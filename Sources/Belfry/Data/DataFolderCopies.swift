import ChatDomain
import FoundationEssentials
import Glibc
import Journal

/// What a copy, a restored folder or a compacted one holds.
public struct DataFolderCopy: Sendable {
    /// The number of the last frame.
    public let frames: UInt64
    public let users: Int
    public let channels: Int
    /// Uploaded files that were copied, and those that the chat knows and the folder does not have.
    public let files: Int
    public let missingFiles: Int
    /// Snapshots that could not be used, where an older one could.
    public let damaged: [String]
}

/// What `belfry data` does with a data folder.
public enum DataFolderTools {
    /// Copies a data folder, also while a server uses it: everything that was acknowledged before. The keys of a server
    /// in development mode are left out.
    ///
    /// - Parameters:
    ///   - path: The data folder.
    ///   - target: Must not exist, or be empty.
    public static func backUp(_ path: String, to target: String) throws(ConfigurationError) -> DataFolderCopy {
        let journal = path + "/journal"
        try DataFolder.checkOwner(journal)
        try makeEmpty(target)
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

    /// Makes a new data folder of a copied one. Its rooms begin new epochs: clients that come with a position of the
    /// original are told to fetch anew.
    ///
    /// - Parameters:
    ///   - copy: What `backUp` made.
    ///   - target: Must not exist, or be empty.
    public static func restore(_ copy: String, to target: String) throws(ConfigurationError) -> DataFolderCopy {
        try makeEmpty(target)
        return try naming { () throws(JournalError) in
            let source = PosixDisk(existing: copy + "/journal")
            var random = SystemRandomNumberGenerator()
            var damaged: [String] = []
            let restoration = JournalRestoration(of: source, to: try disk(target + "/journal"))
            let (state, frames) = try restoration.run(&random) { damaged.append("\($0)") }
            return try finish(state, frames, from: copy, to: target, damaged)
        }
    }

    /// Makes a snapshot and deletes what nobody needs any more, also beside a server.
    ///
    /// - Parameters:
    ///   - path: The data folder.
    ///   - kept: Frames at the journal's end that stay out of the snapshot, for clients to recover their events.
    ///   - bytes: Of these frames, at most.
    /// - Returns: `nil` when there is nothing to do.
    public static func compact(
        _ path: String, keeping kept: Int, bytes: Int = 67_108_864
    ) throws(ConfigurationError) -> Compacted? {
        let journal = path + "/journal"
        try DataFolder.checkOwner(journal)
        // What a webhook has not had stays in the journal.
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

    public struct Compacted: Sendable {
        /// The number of the last frame that went into the snapshot.
        public let frame: UInt64
        public let bytes: Int
        /// Names of the files that were deleted.
        public let removed: [String]
        public let damaged: [String]
    }

    private static func finish(
        _ state: ChatState, _ frames: UInt64, from path: String, to target: String, _ damaged: [String]
    ) throws(JournalError) -> DataFolderCopy {
        let (files, missing) = try copyFiles(state.fileIDs.map(\.description).sorted(), from: path, to: target)
        return DataFolderCopy(
            frames: frames, users: state.userCount, channels: state.channelCount, files: files, missingFiles: missing,
            damaged: damaged)
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

    /// Waits for a snapshot that is being made.
    private static func lock(_ journal: String) throws(JournalError) -> FileLock? {
        try JournalError.naming { () throws(DiskError) in
            try FileLock(journal + "/" + Compaction.lockName, isPatient: true)
        }
    }

    private static func disk(_ path: String) throws(JournalError) -> PosixDisk {
        try JournalError.naming { () throws(DiskError) in try PosixDisk(folder: path) }
    }

    private static func makeEmpty(_ path: String) throws(ConfigurationError) {
        try DataFolder.make(path)
        let isEmpty = try naming { () throws(JournalError) in
            try JournalError.naming { () throws(DiskError) in try PosixDisk(existing: path).names().isEmpty }
        }
        guard isEmpty else {
            throw ConfigurationError("\(path) is not empty: name a folder that does not exist yet")
        }
    }

    private static func naming<Result>(
        _ body: () throws(JournalError) -> Result
    ) throws(ConfigurationError) -> Result {
        do throws(JournalError) { return try body() } catch { throw Storage.refusal(error) }
    }
}
