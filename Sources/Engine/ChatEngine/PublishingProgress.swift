import DequeModule

/// Tracks the last fully published frame of the log. Pushes of a frame may be published after later frames.
struct PublishingProgress {
    private var last: UInt64 = 0
    /// Frames whose pushes are not all published yet, ascending. There may be many after a restart, and most of them
    /// end in order.
    private var unfinished: Deque<UInt64> = []

    /// Everything up to this frame has been published.
    var lastPublished: UInt64 { unfinished.first.map { $0 - 1 } ?? last }

    /// The last fully published frame while `frame` is being published; after a crash, publishing resumes after it.
    func lastPublished(before frame: UInt64) -> UInt64 { min(unfinished.first ?? frame, max(frame, 1)) - 1 }

    /// Records that pushes of this frame will be published later. Frames begin in ascending order.
    mutating func beginPushes(of frame: UInt64) {
        if frame > unfinished.last ?? 0 { unfinished.append(frame) }
    }

    /// Records that all pushes of this frame have been published.
    mutating func endPushes(of frame: UInt64) {
        var (low, high) = (0, unfinished.count)
        while low < high {
            let middle = low + (high - low) / 2
            if unfinished[middle] < frame { low = middle + 1 } else { high = middle }
        }
        if low < unfinished.count, unfinished[low] == frame { unfinished.remove(at: low) }
    }

    /// Records that everything up to this frame has been published, apart from outstanding pushes.
    mutating func advance(to frame: UInt64) { last = max(last, frame) }
}
