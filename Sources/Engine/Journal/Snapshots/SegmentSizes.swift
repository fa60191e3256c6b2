import Synchronization

/// The frame sizes of closed segments, which never change: each segment is read for them once, and not again by every
/// compaction that looks for how much of the journal a slow reader retains.
package final class SegmentSizes: Sendable {
    /// By the segment's name.
    private let known: Mutex<[String: FrameSizes]>

    /// - Parameter report: As found when the journal was opened; closed segments only.
    package init(_ report: JournalReport = JournalReport()) {
        known = Mutex(Dictionary(report.segments.map { ($0.name, $0.sizes) }) { $1 })
    }

    /// Removes deleted segments.
    func prune(keeping segments: [JournalReport.Segment]) {
        let names = Set(segments.map(\.name))
        known.withLock { known in known = known.filter { names.contains($0.key) } }
    }

    func sizes(
        of segment: String, _ read: () throws(JournalError) -> FrameSizes
    ) throws(JournalError) -> FrameSizes {
        if let sizes = known.withLock({ $0[segment] }) { return sizes }
        let sizes = try read()
        known.withLock { $0[segment] = sizes }
        return sizes
    }
}
