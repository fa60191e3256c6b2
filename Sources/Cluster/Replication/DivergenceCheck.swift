import Gateway

/// Compares what this node announced with what the others did, and decides which of them is wrong.
///
/// A node compares its own sum over the frames of another node's beat, as soon as it has announced them too. Once two nodes
/// differ, they differ for good: later events may be equal again, but the states are not. The smaller side leaves; of two
/// equal sides, the one without the writer. Times are milliseconds of a clock that never goes back.
struct DivergenceCheck {
    private struct Other {
        /// The oldest sum that this node cannot compare yet.
        var waiting: AnnouncedSum?
        /// The last frame up to which both agree.
        var agreedThrough: UInt64?
        /// The last frame of the first sum that differs.
        var differsThrough: UInt64?
    }

    /// How long nodes whose sums are not compared yet are waited for, in milliseconds: a silent one departs after it, and any
    /// other may be unable to compare.
    static let patience = Roster.departure

    private var others: [NodeID: Other] = [:]
    private var differsSince: Int64?

    /// Receives the sum of another node. The caller bounds the nodes.
    mutating func receive(
        _ span: AnnouncedSum, from node: NodeID, comparing frames: any AnnouncedFrames, at now: Int64
    ) {
        if others[node]?.waiting == nil { others[node, default: Other()].waiting = span }
        compare(with: frames, at: now)
        // What waited can be compared now, or never.
        if others[node]?.waiting == nil, span.through > others[node]?.agreedThrough ?? 0 {
            others[node]?.waiting = span
            compare(with: frames, at: now)
        }
    }

    /// Compares the sums whose frames this node has announced by now.
    mutating func compare(with frames: any AnnouncedFrames, at now: Int64) {
        let last = frames.lastFrame
        for (node, other) in others {
            guard let span = other.waiting, span.through <= last else { continue }
            others[node]?.waiting = nil
            // Without the first frames, this node joined too late to compare.
            guard let sum = frames.sum(after: span.after, through: span.through) else { continue }
            if sum == span.sum {
                others[node]?.agreedThrough = span.through
            } else if other.differsThrough == nil {
                others[node]?.differsThrough = span.through
                differsSince = differsSince ?? now
            }
        }
    }

    /// Forgets nodes that have departed.
    mutating func keep(_ isLive: (NodeID) -> Bool) {
        others = others.filter { isLive($0.key) }
        if differing.isEmpty { differsSince = nil }
    }

    /// The nodes that announced something else than this one, by name.
    var differing: [NodeID] { others.filter { $0.value.differsThrough != nil }.keys.sorted() }

    /// Whether this node is on the side that leaves.
    ///
    /// - Parameters:
    ///   - writer: The writer of the current term.
    ///   - live: The other nodes to compare with.
    func mustLeave(_ writer: NodeID?, among live: [NodeID], at now: Int64) -> Bool {
        guard let differsSince, let frame = others.values.compactMap(\.differsThrough).min() else { return false }
        let rest = live.filter { others[$0]?.differsThrough == nil }
        let agreeing = rest.count { others[$0]?.agreedThrough ?? 0 >= frame }
        let undecided = now - differsSince < Self.patience ? rest.count - agreeing : 0
        let differing = differing
        // This node counts too, and those that may still turn out to agree.
        let own = agreeing + 1 + undecided
        return differing.count > own || differing.count == own && writer.map(differing.contains) == true
    }
}
