/// A token bucket, which limits the average rate and the burst.
///
/// Stores only the time at which the bucket is full again (generic cell rate algorithm), so nothing needs to be
/// refilled.
package struct TokenBucket: Sendable, Equatable {
    package struct Rate: Sendable, Equatable {
        /// The average number of tokens per second; at least 1.
        package var perSecond: Int
        /// The capacity of the bucket; at least 1, because an empty bucket would never allow anything.
        package var burst: Int

        /// The number of seconds that `perSecond` refers to; above 1 for rates below one per second.
        private var scale: Int64 = 1

        package init(perSecond: Int, burst: Int) {
            self.perSecond = max(1, perSecond)
            self.burst = max(1, burst)
        }

        /// Creates a rate of one token per period; a period is at most one year.
        package init(secondsPerToken seconds: Int, burst: Int) {
            self.init(perSecond: 1, burst: burst)
            scale = min(max(1, Int64(seconds)), 31_536_000)
        }

        /// Returns the rate with `perSecond` and `burst` multiplied by a factor.
        package func multiplied(by factor: Int) -> Rate {
            func product(_ count: Int) -> Int {
                let (product, overflow) = count.multipliedReportingOverflow(by: max(1, factor))
                return overflow ? .max : product
            }
            var rate = self
            (rate.perSecond, rate.burst) = (product(perSecond), product(burst))
            return rate
        }

        fileprivate var microsecondsPerToken: Int64 { max(1, 1_000_000 / Int64(max(1, perSecond))) * scale }
        /// Whole seconds until an empty bucket is full again, rounded up and at least 1.
        package var secondsToFill: Int64 { (microsecondsToFill + 999_999) / 1_000_000 }
        fileprivate var microsecondsToFill: Int64 {
            let (product, overflow) = microsecondsPerToken.multipliedReportingOverflow(by: Int64(max(1, burst)))
            return overflow ? .max / 4 : min(product, .max / 4)
        }

        fileprivate func microseconds(of count: Int) -> Int64 {
            let (product, overflow) = microsecondsPerToken.multipliedReportingOverflow(by: Int64(max(1, count)))
            return overflow ? microsecondsToFill : min(product, microsecondsToFill)
        }
    }

    /// The time at which the bucket is full again, in microseconds of the caller's clock.
    private var fullAt = Int64.min

    package init() {}

    /// Consumes one or more tokens.
    ///
    /// - Parameters:
    ///   - count: The number of tokens, capped at the bucket's capacity.
    ///   - now: The time in milliseconds of any clock. If the clock is set back, the bucket is empty at worst.
    /// - Returns: Nil if the tokens were consumed. Otherwise, the milliseconds until enough tokens are available, at
    ///   least 1; nothing is consumed.
    package mutating func consume(_ rate: Rate, _ count: Int = 1, now: Int64) -> Int64? {
        let now = min(max(now, 0), .max / 4_000) * 1_000
        let capacity = rate.microsecondsToFill
        let begin = min(max(fullAt, now), now + capacity)
        let cost = rate.microseconds(of: count)
        let missing = begin + cost - now - capacity
        guard missing <= 0 else {
            fullAt = begin
            return (missing + 999) / 1_000
        }
        fullAt = begin + cost
        return nil
    }

    /// Gives back tokens that were consumed but not used.
    package mutating func refund(_ rate: Rate, _ count: Int) {
        let (earlier, overflow) = fullAt.subtractingReportingOverflow(rate.microseconds(of: count))
        fullAt = overflow ? .min : earlier
    }

    /// Returns the number of tokens available now.
    package func count(_ rate: Rate, now: Int64) -> Int {
        let now = min(max(now, 0), .max / 4_000) * 1_000
        let capacity = rate.microsecondsToFill
        let missing = min(max(fullAt, now) - now, capacity)
        return Int((capacity - missing) / rate.microsecondsPerToken)
    }

    /// Returns whether the bucket is full, so that it need not be kept.
    package func isFull(now: Int64) -> Bool { fullAt <= min(max(now, 0), .max / 4_000) * 1_000 }
}
