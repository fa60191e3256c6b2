import DequeModule

/// Measures how long the oldest known message has not been applied. Times are milliseconds of a clock that never goes back.
struct LagMeter: Sendable {
    private struct Mark {
        var number: UInt64
        let since: Int64
    }

    /// Messages that are known and not applied, and when they became known. With those before them, up to the last mark.
    private var marks: Deque<Mark> = []
    /// The last message that is known.
    private(set) var known: UInt64 = 0
    private var applied: UInt64 = 0

    /// Messages that become known within this many milliseconds share a mark.
    private static let step: Int64 = 20
    private static let limit = 256

    /// Records that the log has messages up to a number.
    mutating func learn(upTo number: UInt64, at now: Int64) {
        guard number > known else { return }
        known = number
        guard number > applied else { return }
        if let last = marks.last, now - last.since < Self.step || marks.count == Self.limit {
            marks[marks.count - 1].number = number
        } else {
            marks.append(Mark(number: number, since: now))
        }
    }

    /// Records that all messages up to a number are applied.
    mutating func apply(upTo number: UInt64) {
        applied = max(applied, number)
        while let first = marks.first, first.number <= applied { marks.removeFirst() }
    }

    /// Since when the oldest known message waits; `nil` if all are applied.
    var since: Int64? { marks.first?.since }
}
