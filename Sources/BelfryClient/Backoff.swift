/// The delay before the next connection attempt. It grows exponentially with full jitter, so that clients do not all
/// reconnect at the same time when a server returns.
public struct Backoff: Hashable, Sendable {
    /// The shortest delay.
    public var minimum: Duration
    /// The longest delay.
    public var maximum: Duration

    /// Creates a backoff. Negative durations become 0, and a maximum below the minimum becomes the minimum.
    public init(minimum: Duration = .milliseconds(200), maximum: Duration = .seconds(20)) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Returns the delay before an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of consecutive failed attempts before this one, from 0.
    ///   - random: The position of the delay within its range, from 0 up to 1.
    /// - Returns: Between `minimum` and `maximum`, and at most `minimum` more than `minimum * 2^attempt`.
    public func delay(attempt: Int, random: Double) -> Duration {
        let minimum = max(.zero, minimum)
        let maximum = max(minimum, maximum)
        // From 2^30 on, every reasonable minimum has reached its maximum.
        let range = min(maximum, minimum * (1 << min(max(0, attempt), 30)))
        return min(maximum, minimum + range * min(max(0, random), 1))
    }

    /// Returns the delay before trying the next address of the same round. It spreads the clients of a node that stops.
    ///
    /// - Returns: Less than the shortest delay between rounds.
    func delayWithinRound(random: Double) -> Duration { max(.zero, minimum) * min(max(0, random), 1) }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up; 0 when negative, and at most about 31 years so that sums cannot
    /// overflow.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        if self <= .zero { return 0 }
        if seconds >= 1_000_000_000 { return 1_000_000_000_000 }
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
