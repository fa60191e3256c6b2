/// Up to which frame of the log everything has been told, where the pushes of some frames come later than what follows them.
struct ToldFrames {
    private var last: UInt64 = 0
    /// Frames whose pushes are not all told yet, ascending.
    private var unfinished: [UInt64] = []

    /// Everything up to this frame.
    var told: UInt64 { unfinished.first.map { $0 - 1 } ?? last }

    /// Up to which frame everything has been told while events of this one are: a crash has to begin behind it again.
    func told(before frame: UInt64) -> UInt64 { min(unfinished.first ?? frame, max(frame, 1)) - 1 }

    /// More of this frame comes later.
    mutating func begin(_ frame: UInt64) { if frame > 0 { unfinished.append(frame) } }

    mutating func end(_ frame: UInt64) { unfinished.removeAll { $0 == frame } }

    /// Everything up to this frame has been told, apart from what comes later.
    mutating func passed(_ frame: UInt64) { last = max(last, frame) }
}
