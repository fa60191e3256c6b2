import ChatDomain
import Journal

/// A report on a data folder, which is read without changing anything, even while a server uses it.
public struct DataFolderReport: Sendable {
    /// A file of the journal.
    public struct Segment: Sendable {
        /// The file's name.
        public let name: String
        /// The number of its first frame.
        public let first: UInt64
        /// Number of frames.
        public let frames: UInt64
        /// The size in bytes, up to the end of the last frame.
        public let bytes: Int
    }

    /// The incomplete end of a write that a crash interrupted before it was acknowledged. The next start removes it.
    public struct TornTail: Sendable {
        /// The name of the segment.
        public let segment: String
        /// The offset of the incomplete write, in bytes from the start of the segment.
        public let offset: Int
        /// The number of bytes that the next start removes.
        public let bytes: Int
    }

    /// A snapshot of the chat's state.
    public struct Snapshot: Sendable {
        /// The file's name.
        public let name: String
        /// The number of the last frame in it.
        public let sequence: UInt64
        /// The reason it cannot be used; `nil` when it can or was not checked.
        public let problem: String?
    }

    /// The journal's segments in frame order.
    public let segments: [Segment]
    /// The snapshots, oldest first.
    public let snapshots: [Snapshot]
    /// The incomplete write at the end; nil when the journal ends with a complete frame.
    public let tornTail: TornTail?
    /// Whether the last segment is open, because a server is using the folder or did not shut down cleanly.
    public let isOpen: Bool
    /// The number of existing users; `nil` when the frames were not replayed.
    public let users: Int?
    /// The number of existing channels; `nil` when the frames were not replayed.
    public let channels: Int?
    /// The trial snapshot; `nil` when the frames were not replayed.
    public let trial: SnapshotTrial?

    /// The size of a snapshot of everything, which is built and read back but never written.
    public struct SnapshotTrial: Sendable {
        /// The number of pieces it would be written in.
        public let pieces: Int
        /// The total size of all pieces in bytes.
        public let bytes: Int
        /// The size of the largest piece in bytes.
        public let largestPiece: Int
    }

    /// Reads a data folder.
    ///
    /// - Parameters:
    ///   - path: The data folder.
    ///   - isReplaying: If true, reads every snapshot, replays every record as at startup and tries a snapshot as a
    ///     compaction would; if false, only checks the frames.
    /// - Throws: When the folder cannot be read or is damaged (naming the file and the byte), or when no snapshot could
    ///   be made.
    public init(path: String, isReplaying: Bool) throws(ConfigurationError) {
        do throws(JournalError) {
            let journal = try ReadOnlyJournal(folder: path + "/journal")
            let report = journal.report
            segments = report.segments.map {
                Segment(name: $0.name, first: $0.first, frames: $0.next - $0.first, bytes: $0.bytes)
            }
            tornTail = report.cut.map { TornTail(segment: $0.segment, offset: $0.offset, bytes: $0.bytes) }
            isOpen = report.wasUnclean
            var snapshots: [Snapshot] = []
            for snapshot in report.snapshots {
                let problem = isReplaying ? try journal.problem(of: snapshot) : nil
                snapshots.append(
                    Snapshot(name: snapshot.name, sequence: snapshot.sequence, problem: problem.map { "\($0)" }))
            }
            self.snapshots = snapshots
            guard isReplaying else {
                (users, channels, trial) = (nil, nil, nil)
                return
            }
            let state = try journal.state { _ in }
            (users, channels) = (state.userCount, state.channelCount)
            let trial = try journal.tryCompaction(of: state)
            self.trial = SnapshotTrial(pieces: trial.pieces, bytes: trial.bytes, largestPiece: trial.largest)
        } catch {
            throw Storage.refusal(error)
        }
    }
}
