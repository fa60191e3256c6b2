import ChatDomain
import Records

/// An error that prevents opening or reading a journal. The server then refuses to start, because continuing could lose
/// acknowledged events.
package enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
    case disk(DiskError)
    /// A segment's header is damaged or missing.
    case damagedHeader(segment: String)
    case unknownVersion(segment: String, version: UInt32)
    /// A completely written frame is no longer readable.
    case corrupt(segment: String, offset: Int)
    /// A segment is missing: the previous one does not end where the next begins.
    case gap(segment: String, expected: UInt64, found: UInt64)
    /// The journal ends before the last frame of one of its snapshots.
    case endMissing(next: UInt64, snapshot: UInt64)
    /// A completed snapshot is damaged, or its contents are not a valid state. An older one may be usable.
    case unusableSnapshot(_ name: String, reason: String)
    /// A block of bodies is damaged or missing. The messages in it have lost their texts.
    case unreadableBlock(file: String, BlockReference)
    /// A run of messages is damaged or missing, so that the snapshots that refer to it are unusable.
    case unreadableRun(file: String, BlockReference)
    /// The journal's first frames were compacted into snapshots, none of which is usable.
    case noSnapshot(first: UInt64)
    /// A frame is intact, but its records cannot be decoded or do not continue the earlier ones.
    case unreadable(segment: String, offset: Int, sequence: UInt64, reason: String)
    /// A piece of state exceeds the limit of readers, so the snapshot cannot be written. Existing files are not
    /// affected, and the server can start without the snapshot.
    case oversizedPiece(String)
    /// The operation was cancelled.
    case interrupted

    /// Runs `body` and wraps its disk error.
    package static func wrapping<Result>(
        _ body: () throws(DiskError) -> Result
    ) throws(JournalError) -> Result {
        do throws(DiskError) { return try body() } catch { throw .disk(error) }
    }

    package var description: String {
        switch self {
        case .disk(let error): error.description
        case .damagedHeader(let segment): "\(segment) is damaged: its header cannot be read"
        case .unknownVersion(let segment, let version):
            "\(segment) has version \(version), written by a newer server: start a newer server, or restore a backup"
        case .corrupt(let segment, let offset):
            "\(segment) is damaged at byte \(offset): a frame that was completely written is no longer readable"
        case .endMissing(let next, let snapshot):
            "a part of the journal is missing: it ends before frame \(next), but a snapshot reaches frame \(snapshot)"
        case .unusableSnapshot(let name, let reason): "cannot use snapshot \(name): \(reason)"
        case .unreadableBlock(let file, let block):
            "cannot read the block of message texts at byte \(block.offset) of \(file)"
        case .unreadableRun(let file, let run): "cannot read the messages at byte \(run.offset) of \(file)"
        case .noSnapshot(let first):
            "the journal begins with frame \(first), and no usable snapshot covers the frames before it"
        case .oversizedPiece(let piece): "cannot write a snapshot: a piece of state is too large: \(piece)"
        case .interrupted: "interrupted"
        case .gap(let segment, let expected, let found):
            "a part of the journal is missing: \(segment) begins with frame \(found) instead of frame \(expected)"
        case .unreadable(let segment, let offset, let sequence, let reason):
            "cannot read frame \(sequence) at byte \(offset) of \(segment): \(reason)"
        }
    }
}
