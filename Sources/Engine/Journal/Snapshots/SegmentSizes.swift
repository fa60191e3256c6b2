import Synchronization

/// A cache of the frame sizes of closed segments, which never change. Without it, every compaction would have to read
/// the segments again to find out how much of the journal a slow reader retains.
package final class SegmentSizes: Sendable {
    private let known: Mutex<[String: FrameSizes]>

    /// - Parameter report: The report from opening the journal; only closed segments.
    package init(_ report: JournalReport = JournalReport()) {
        known = Mutex(Dictionary(report.segments.map { ($0.name, $0.sizes) }) { $1 })
    }

    /// Removes the sizes of deleted segments.
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
