/// How long to wait before the next attempt to connect: doubling, with full jitter, so that the clients of a server that
/// comes back do not come all at once.
public struct Backoff: Hashable, Sendable {
    public var minimum: Duration
    public var maximum: Duration

    public init(minimum: Duration = .milliseconds(200), maximum: Duration = .seconds(20)) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// - Parameters:
    ///   - attempt: Attempts that have failed in a row before this one, from 0.
    ///   - random: Where in the range the delay falls, from 0 up to 1.
    /// - Returns: Between `minimum` and `maximum`, and at most `minimum` more than `minimum * 2^attempt`.
    public func delay(attempt: Int, random: Double) -> Duration {
        let minimum = max(.zero, minimum)
        let maximum = max(minimum, maximum)
        // Beyond 2^30 every sensible minimum has met its maximum.
        let range = min(maximum, minimum * (1 << min(max(0, attempt), 30)))
        return min(maximum, minimum + range * min(max(0, random), 1))
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; 0 when negative, and at most about 31 years so that sums cannot overflow.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        if self <= .zero { return 0 }
        if seconds >= 1_000_000_000 { return 1_000_000_000_000 }
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
