import DequeModule

/// Tracks the last fully published frame of the log. Pushes of a frame may be published after later frames.
struct ToldFrames {
    private var last: UInt64 = 0
    /// Frames whose pushes are not all published yet, ascending. There may be many after a restart, and most of those
    /// end in order.
    private var unfinished: Deque<UInt64> = []

    /// Everything up to this frame has been published.
    var told: UInt64 { unfinished.first.map { $0 - 1 } ?? last }

    /// The last fully published frame while `frame` is being published; after a crash, publishing resumes after it.
    func told(before frame: UInt64) -> UInt64 { min(unfinished.first ?? frame, max(frame, 1)) - 1 }

    /// Records that more of this frame is published later. Frames begin in ascending order.
    mutating func begin(_ frame: UInt64) {
        if frame > unfinished.last ?? 0 { unfinished.append(frame) }
    }

    mutating func end(_ frame: UInt64) {
        var (low, high) = (0, unfinished.count)
        while low < high {
            let middle = low + (high - low) / 2
            if unfinished[middle] < frame { low = middle + 1 } else { high = middle }
        }
        if low < unfinished.count, unfinished[low] == frame { unfinished.remove(at: low) }
    }

    /// Records that everything up to this frame has been published, apart from outstanding pushes.
    mutating func passed(_ frame: UInt64) { last = max(last, frame) }
}
