import Glibc

enum WallClock {
    /// Milliseconds since 1970.
    static let milliseconds: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped to the range from 0 to a century.
    var clampedMilliseconds: Int64 {
        let century: Int64 = 3_155_760_000_000
        let whole = components.seconds.multipliedReportingOverflow(by: 1_000)
        guard !whole.overflow else { return components.seconds < 0 ? 0 : century }
        return max(0, min(century, whole.partialValue + components.attoseconds / 1_000_000_000_000_000))
    }
}
