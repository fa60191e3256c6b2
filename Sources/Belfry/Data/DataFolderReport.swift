import ChatDomain
import Journal

/// The contents of a data folder, read without changing anything, even while a server uses it.
public struct DataFolderReport: Sendable {
    public struct Segment: Sendable {
        public let name: String
        /// The number of its first frame.
        public let first: UInt64
        public let frames: UInt64
        /// Up to the end of its last frame.
        public let bytes: Int
    }

    /// The remains of a write that a crash interrupted before it was acknowledged; the next start cuts it off.
    public struct TornTail: Sendable {
        public let segment: String
        public let offset: Int
        public let bytes: Int
    }

    public struct Snapshot: Sendable {
        public let name: String
        /// The number of the last frame in it.
        public let sequence: UInt64
        /// Why it cannot be used; `nil` when it can or was not checked.
        public let problem: String?
    }

    public let segments: [Segment]
    /// Oldest first.
    public let snapshots: [Snapshot]
    public let tornTail: TornTail?
    /// The last segment is not closed: a server is using the folder or did not shut down cleanly.
    public let isOpen: Bool
    /// `nil` when the frames were not replayed.
    public let users: Int?
    public let channels: Int?
    /// `nil` when the frames were not replayed.
    public let trial: SnapshotTrial?

    /// The size of a snapshot of everything: built and read back, but never written.
    public struct SnapshotTrial: Sendable {
        public let pieces: Int
        public let bytes: Int
        /// Bytes of the largest piece.
        public let largestPiece: Int
    }

    /// - Parameters:
    ///   - path: The data folder.
    ///   - isFolding: True reads every snapshot, replays every record as a start would and tries a snapshot as
    ///     a compaction would; false only checks the frames.
    /// - Throws: When the folder cannot be read or is damaged (naming the file and the byte), or when no
    ///   snapshot could be made.
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
