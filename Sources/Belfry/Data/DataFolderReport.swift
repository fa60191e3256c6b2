import ChatDomain
import Journal

/// What a data folder holds, read without changing anything; a server that uses the folder goes on.
public struct DataFolderReport: Sendable {
    public struct Segment: Sendable {
        public let name: String
        /// The number of its first frame.
        public let first: UInt64
        public let frames: UInt64
        /// Up to the end of its last frame.
        public let bytes: Int
    }

    /// What a crash left of a write that nobody was told of; the next start cuts it off.
    public struct TornTail: Sendable {
        public let segment: String
        public let offset: Int
        public let bytes: Int
    }

    public struct Snapshot: Sendable {
        public let name: String
        /// The number of the last frame that went into it.
        public let sequence: UInt64
        /// Why it cannot be used; `nil` when it can, or when nobody looked.
        public let problem: String?
    }

    public let segments: [Segment]
    /// Oldest first.
    public let snapshots: [Snapshot]
    public let tornTail: TornTail?
    /// The last segment is not closed: a server uses the folder or did not end in order.
    public let isOpen: Bool
    /// `nil` when the frames were not folded.
    public let users: Int?
    public let channels: Int?
    /// `nil` when the frames were not folded.
    public let trial: SnapshotTrial?

    /// What a snapshot of everything would come to: made, read back and written nowhere.
    public struct SnapshotTrial: Sendable {
        public let pieces: Int
        public let bytes: Int
        /// Bytes of the largest piece.
        public let largestPiece: Int
    }

    /// - Parameters:
    ///   - path: The data folder.
    ///   - isFolding: Whether every snapshot and every record is read and taken in as a start would do, and a snapshot is
    ///     tried as a compaction would make it; or only the frames are checked.
    /// - Throws: When the folder cannot be read, or is damaged: which file, which byte. Also when no snapshot could be made.
    public init(path: String, isFolding: Bool) throws(ConfigurationError) {
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
                let problem = isFolding ? try journal.problem(of: snapshot) : nil
                snapshots.append(
                    Snapshot(name: snapshot.name, sequence: snapshot.sequence, problem: problem.map { "\($0)" }))
            }
            self.snapshots = snapshots
            guard isFolding else {
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
