import ChatModel

/// Consecutive messages of a channel on disk, without their bodies, as a snapshot refers to them.
///
/// A run is the pieces `messages` and `reactions` of up to 256 messages, stored together where a block would be.
package struct RunPart: Equatable, Sendable {
    package var reference: BlockReference
    /// The number of messages.
    package var count: Int
    /// From the least to the greatest id of the messages.
    package var ids: ClosedRange<MessageID>
    /// The offset of the last message.
    package var lastOffset: UInt64

    package init(reference: BlockReference, count: Int, ids: ClosedRange<MessageID>, lastOffset: UInt64) {
        self.reference = reference
        self.count = count
        self.ids = ids
        self.lastOffset = lastOffset
    }

    /// Returns whether these pieces are a run's.
    package func fits(_ parts: [StatePart], _ channel: ChannelID) -> Bool {
        var found = 0
        for part in parts {
            switch part {
            case .messages(channel, let messages): found += messages.count
            case .reactions(channel, let place, _): guard (0..<count).contains(place) else { return false }
            default: return false
            }
        }
        return found == count
    }

    /// Returns the pieces of a run as if they were pieces of the channel.
    ///
    /// - Parameter first: The place of the run's first message in the channel.
    package static func inChannel(_ parts: [StatePart], first: Int) -> [StatePart] {
        parts.map { part in
            guard case .reactions(let channel, let place, let reactions) = part else { return part }
            return .reactions(channel, place: first + place, reactions)
        }
    }
}

extension RunPart: Weighed {
    package var weight: Int { 5 * PieceWeight.number + 2 * PieceWeight.id }
}

/// What a run on disk holds.
package enum RunContents: Sendable {
    case parts([StatePart])
    /// It is damaged, or its file is missing.
    case damaged
    /// The disk failed; a later attempt may succeed.
    case unavailable
}

/// The source of the messages of a *sparse* state: it has only those of their entries in memory that records change, and
/// none of the indexes for lists and counts. It serves to write the next snapshot, and decides nothing.
///
/// Touched only on the queue that owns the state.
final class RunSource: @unchecked Sendable {
    private let reader: any BlockReader
    /// The first run that could not be read. The state is worthless then.
    private(set) var unreadable: BlockReference?

    init(_ reader: any BlockReader) { self.reader = reader }

    /// Returns the pieces of a run; none if it cannot be read.
    func read(_ run: RunPart, of channel: ChannelID) -> [StatePart] {
        if case .parts(let parts) = reader.readRun(run.reference), run.fits(parts, channel) { return parts }
        if unreadable == nil { unreadable = run.reference }
        return []
    }
}

/// The runs of a channel of a sparse state.
struct ChannelRuns {
    let source: RunSource
    let channel: ChannelID

    /// Returns the pieces of a run; none if it cannot be read.
    func read(_ run: RunPart) -> [StatePart] { source.read(run, of: channel) }
}

/// What the message lists of all channels of a state share.
struct MessageSources {
    let hash: ClientIDHash
    /// Where messages are found that are not in memory; `nil` unless the state is sparse.
    var runs: RunSource?
}
