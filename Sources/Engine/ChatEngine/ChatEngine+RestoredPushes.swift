import ChatDomain
import ChatModel
import DequeModule

/// Messages from before a restart whose pushes some webhook may not have received.
///
/// While a webhook is down there may be many, in channels of thousands. Finding their recipients takes minutes, so a
/// start does not wait for it: it follows in short slices, for members without a connection by then.
struct RestoredPushes {
    private let limit: Int
    private var waiting: Deque<(frame: UInt64, search: PushSearch)> = []

    init(limit: Int) { self.limit = limit }

    var count: Int { waiting.count }

    /// - Returns: The frame of the oldest search if that was evicted.
    mutating func append(_ search: PushSearch, of frame: UInt64) -> UInt64? {
        waiting.append((frame, search))
        return waiting.count > limit ? waiting.popFirst()?.frame : nil
    }

    mutating func next() -> (frame: UInt64, search: PushSearch)? { waiting.popFirst() }

    /// Puts back what a slice left unfinished.
    mutating func putBack(_ search: PushSearch, of frame: UInt64) { waiting.prepend((frame, search)) }
}

extension ChatEngine {
    /// Milliseconds between two slices, which take about two: commands keep most of the engine's time.
    private static let restoredPushPause = 8

    /// Searches for the recipients of a frame's pushes in later slices.
    func searchLater(_ search: PushSearch, of frame: UInt64) {
        if let dropped = restoredPushes.append(search, of: frame) {
            metrics.restoredPushesDropped.increment()
            log.mark(Outcome(effects: [.pushed], answer: nil, earlierFrame: dropped))
        }
        scheduleRestoredPushes()
    }

    func scheduleRestoredPushes() {
        metrics.restoredPushesWaiting.record(restoredPushes.count)
        guard !isRestoredPushScheduled, restoredPushes.count > 0 else { return }
        isRestoredPushScheduled = true
        later(Self.restoredPushPause) { $0.pushRestored() }
    }

    private func pushRestored() {
        isRestoredPushScheduled = false
        payer = .server
        _ = work.drain()
        // Without such a webhook the frames only end.
        let isWanted = state.webhooks.contains { $0.webhook.events.includes(PushNotice.type) }
        while !work.isSliceOver, let (frame, search) = restoredPushes.next() {
            if let rest = step(search, of: frame, isWanted: isWanted) { restoredPushes.putBack(rest, of: frame) }
        }
        metrics.work.increment(by: work.drain())
        scheduleRestoredPushes()
    }
}
