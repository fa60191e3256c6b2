/// The recent speed of the disk, which decides whether a thread with other work may wait for it.
struct WritePace {
    /// The longest acceptable wait: no longer than one turn of a loop may take anyway.
    static let quickNanoseconds: UInt64 = 1_000_000
    /// The decay of `slowest` per write: a slow write affects the next few hundred.
    private static let decayShift: UInt64 = 6

    /// The time of the slowest recent write in nanoseconds, decaying with every write.
    private var slowest = Self.quickNanoseconds

    var isQuick: Bool { slowest < Self.quickNanoseconds }

    mutating func record(_ nanoseconds: UInt64) {
        slowest = max(nanoseconds, slowest &- slowest >> Self.decayShift)
    }
}
