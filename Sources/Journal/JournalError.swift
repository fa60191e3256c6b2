import Records

/// Why a journal cannot be opened or read. The server refuses to start: going on could lose what was acknowledged.
package enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
    case disk(DiskError)
    /// A segment whose first bytes are not a header's, at least not as they were written.
    case damagedHeader(segment: String)
    case unknownVersion(segment: String, version: UInt32)
    /// What stands at an offset was written whole and is not readable any more.
    case corrupt(segment: String, offset: Int)
    /// A segment is not there: the one before ends at another number than the next begins with.
    case gap(segment: String, expected: UInt64, found: UInt64)
    /// The journal ends before a snapshot that was made of it.
    case endMissing(next: UInt64, snapshot: UInt64)
    /// What was written whole is damaged or does not come to a state; there may be an older one.
    case unusableSnapshot(_ name: String, reason: String)
    /// The journal's first frames are gone, as they are in snapshots, and none of those can be used.
    case noSnapshot(first: UInt64)
    /// A frame is whole, and its records are none that this server can read, or do not follow from those before.
    case unreadable(segment: String, offset: Int, sequence: UInt64, reason: String)
    /// A piece of the state cannot be written into a snapshot: it is larger than a reader accepts. What is there stays,
    /// and a start can do without the snapshot.
    case oversizedPiece(String)
    /// Whoever asked for it does not want it any more.
    case interrupted

    /// Runs what only the disk can refuse.
    package static func naming<Result>(
        _ body: () throws(DiskError) -> Result
    ) throws(JournalError) -> Result {
        do throws(DiskError) { return try body() } catch { throw .disk(error) }
    }

    package var description: String {
        switch self {
        case .disk(let error): error.description
        case .damagedHeader(let segment): "\(segment) is damaged: its header cannot be read"
        case .unknownVersion(let segment, let version):
            "\(segment) is of version \(version), written by a newer server: use that one"
        case .corrupt(let segment, let offset):
            "\(segment) is damaged at byte \(offset): what stands there was written whole and cannot be read any more"
        case .endMissing(let next, let snapshot):
            "a part of the journal is missing: it ends before frame \(next), and a snapshot goes up to frame \(snapshot)"
        case .unusableSnapshot(let name, let reason): "\(name) cannot be used: \(reason)"
        case .noSnapshot(let first):
            "the journal begins with frame \(first), and there is no usable snapshot of what came before"
        case .oversizedPiece(let piece): "a snapshot cannot be made: too large a piece: \(piece)"
        case .interrupted: "interrupted"
        case .gap(let segment, let expected, let found):
            "a part of the journal is missing: \(segment) begins with frame \(found), frame \(expected) comes next"
        case .unreadable(let segment, let offset, let sequence, let reason):
            "\(segment): frame \(sequence) at byte \(offset) cannot be read: \(reason)"
        }
    }
}
