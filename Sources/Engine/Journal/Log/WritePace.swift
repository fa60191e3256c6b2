/// How fast the disk has lately been, and whether a thread that has other work may wait for it.
struct WritePace {
    /// Such a wait is no longer than what a loop may do in one turn anyway.
    static let quickNanoseconds: UInt64 = 1_000_000
    /// A slow write is remembered for some hundred writes.
    private static let decayShift: UInt64 = 6

    /// The slowest of the latest writes; fades.
    private var slowest = Self.quickNanoseconds

    var isQuick: Bool { slowest < Self.quickNanoseconds }

    mutating func record(_ nanoseconds: UInt64) {
        slowest = max(nanoseconds, slowest &- slowest >> Self.decayShift)
    }
}
