import Glibc

/// The monotonic clock, in nanoseconds.
enum Clock {
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// - Returns: 0 for an instant in the future.
    static func since(_ instant: UInt64) -> UInt64 {
        let now = now
        return now > instant ? now - instant : 0
    }

    /// Blocks the calling thread until then; returns immediately if the instant is past.
    static func sleep(until instant: UInt64) {
        var time = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}
