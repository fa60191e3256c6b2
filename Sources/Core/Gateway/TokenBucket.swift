/// A token bucket: a rate per second on average, and a burst.
///
/// Stored as the time at which it is full again (the generic cell rate algorithm): a single number, and nothing to
/// refill.
package struct TokenBucket: Sendable, Equatable {
    package struct Rate: Sendable, Equatable {
        /// At least 1.
        package var perSecond: Int
        /// At least 1: an empty bucket would never give anything.
        package var burst: Int

        /// Seconds that count as one, for rates below one per second.
        private var stretch: Int64 = 1

        package init(perSecond: Int, burst: Int) {
            self.perSecond = max(1, perSecond)
            self.burst = max(1, burst)
        }

        /// One token every so many seconds, up to a year.
        package init(onePerSeconds seconds: Int, burst: Int) {
            self.init(perSecond: 1, burst: burst)
            stretch = min(max(1, Int64(seconds)), 31_536_000)
        }

        /// The rate and burst multiplied by a factor.
        package func times(_ factor: Int) -> Rate {
            func product(_ count: Int) -> Int {
                let (product, isTooMuch) = count.multipliedReportingOverflow(by: max(1, factor))
                return isTooMuch ? .max : product
            }
            var rate = self
            (rate.perSecond, rate.burst) = (product(perSecond), product(burst))
            return rate
        }

        fileprivate var microsecondsEach: Int64 { max(1, 1_000_000 / Int64(max(1, perSecond))) * stretch }
        /// Whole seconds until an empty bucket is full again, rounded up and at least 1.
        package var secondsInAll: Int64 { (microsecondsInAll + 999_999) / 1_000_000 }
        fileprivate var microsecondsInAll: Int64 {
            let (product, isTooLong) = microsecondsEach.multipliedReportingOverflow(by: Int64(max(1, burst)))
            return isTooLong ? .max / 4 : min(product, .max / 4)
        }

        fileprivate func microseconds(of count: Int) -> Int64 {
            let (product, isTooLong) = microsecondsEach.multipliedReportingOverflow(by: Int64(max(1, count)))
            return isTooLong ? microsecondsInAll : min(product, microsecondsInAll)
        }
    }

    /// In microseconds of the caller's clock; before that time, tokens are missing.
    private var fullAt = Int64.min

    package init() {}

    /// Takes one or more tokens.
    ///
    /// - Parameters:
    ///   - count: More than the bucket's capacity counts as its capacity.
    ///   - now: Milliseconds of any clock; setting it back costs no more than an empty bucket.
    /// - Returns: Nil when the tokens were taken; otherwise nothing is taken, and the result is the milliseconds until
    ///   that many are available, at least 1.
    package mutating func take(_ rate: Rate, _ count: Int = 1, now: Int64) -> Int64? {
        let now = min(max(now, 0), .max / 4_000) * 1_000
        let inAll = rate.microsecondsInAll
        let begin = min(max(fullAt, now), now + inAll)
        let taken = rate.microseconds(of: count)
        let missing = begin + taken - now - inAll
        guard missing <= 0 else {
            fullAt = begin
            return (missing + 999) / 1_000
        }
        fullAt = begin + taken
        return nil
    }

    /// Puts back tokens that were taken but not used.
    package mutating func putBack(_ rate: Rate, _ count: Int) {
        let (earlier, isTooMuch) = fullAt.subtractingReportingOverflow(rate.microseconds(of: count))
        fullAt = isTooMuch ? .min : earlier
    }

    /// The number of tokens available now.
    package func count(_ rate: Rate, now: Int64) -> Int {
        let now = min(max(now, 0), .max / 4_000) * 1_000
        let inAll = rate.microsecondsInAll
        let missing = min(max(fullAt, now) - now, inAll)
        return Int((inAll - missing) / rate.microsecondsEach)
    }

    /// Whether no tokens are missing; a full bucket need not be kept.
    package func isFull(now: Int64) -> Bool { fullAt <= min(max(now, 0), .max / 4_000) * 1_000 }
}
