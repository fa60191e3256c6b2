/// Tracks the last fully published frame of the log. Pushes of a frame may be published after later frames.
struct ToldFrames {
    private var last: UInt64 = 0
    /// Frames whose pushes are not all published yet, ascending.
    private var unfinished: [UInt64] = []

    /// Everything up to this frame has been published.
    var told: UInt64 { unfinished.first.map { $0 - 1 } ?? last }

    /// The last fully published frame while `frame` is being published; after a crash, publishing resumes after it.
    func told(before frame: UInt64) -> UInt64 { min(unfinished.first ?? frame, max(frame, 1)) - 1 }

    /// Records that more of this frame is published later.
    mutating func begin(_ frame: UInt64) { if frame > 0 { unfinished.append(frame) } }

    mutating func end(_ frame: UInt64) { unfinished.removeAll { $0 == frame } }

    /// Records that everything up to this frame has been published, apart from outstanding pushes.
    mutating func passed(_ frame: UInt64) { last = max(last, frame) }
}
