import ChatDomain
import Journal

/// The contents of a data folder, read without changing anything, even while a server uses it.
public struct DataFolderReport: Sendable {
    /// A file of the journal.
    public struct Segment: Sendable {
        /// The file's name.
        public let name: String
        /// The number of its first frame.
        public let first: UInt64
        /// Number of frames.
        public let frames: UInt64
        /// Up to the end of its last frame.
        public let bytes: Int
    }

    /// The remains of a write that a crash interrupted before it was acknowledged; the next start cuts it off.
    public struct TornTail: Sendable {
        /// The name of the segment.
        public let segment: String
        /// Where the unfinished write begins, in bytes from the start of the segment.
        public let offset: Int
        /// Number of bytes that the next start cuts off.
        public let bytes: Int
    }

    /// A snapshot of the chat's state.
    public struct Snapshot: Sendable {
        /// The file's name.
        public let name: String
        /// The number of the last frame in it.
        public let sequence: UInt64
        /// Why it cannot be used; `nil` when it can or was not checked.
        public let problem: String?
    }

    /// In order of their frames.
    public let segments: [Segment]
    /// Oldest first.
    public let snapshots: [Snapshot]
    /// Nil when the journal ends with a complete frame.
    public let tornTail: TornTail?
    /// The last segment is not closed: a server is using the folder or did not shut down cleanly.
    public let isOpen: Bool
    /// Existing users; `nil` when the frames were not replayed.
    public let users: Int?
    /// Existing channels; `nil` when the frames were not replayed.
    public let channels: Int?
    /// `nil` when the frames were not replayed.
    public let trial: SnapshotTrial?

    /// The size of a snapshot of everything: built and read back, but never written.
    public struct SnapshotTrial: Sendable {
        /// Number of pieces in which it would be written.
        public let pieces: Int
        /// Bytes of all pieces.
        public let bytes: Int
        /// Bytes of the largest piece.
        public let largestPiece: Int
    }

    /// - Parameters:
    ///   - path: The data folder.
    ///   - isReplaying: True reads every snapshot, replays every record as a start would and tries a snapshot as
    ///     a compaction would; false only checks the frames.
    /// - Throws: When the folder cannot be read or is damaged (naming the file and the byte), or when no
    ///   snapshot could be made.
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
