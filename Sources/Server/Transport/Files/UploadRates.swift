import ChatModel
import Synchronization

/// The upload rate of each user in bytes, across all of the user's connections on all loops.
package final class UploadRates: Sendable {
    package struct Limits: Sendable, Equatable {
        package var bytesPerSecond = 8_388_608
        /// Bytes allowed in a burst.
        package var burst = 268_435_456
        package init() {}
    }

    private struct Bucket {
        /// Bytes taken and not yet refilled, as of `at`.
        var missing: Int64
        /// Milliseconds.
        var at: Int64
    }

    private let bytesPerSecond: Int64
    private let burst: Int64
    private let buckets = Mutex<(table: [UserID: Bucket], limit: Int)>(([:], smallest))
    private static let smallest = 1_024

    /// - Parameter largest: The size of the largest file in bytes. After a long enough pause, a user may always upload
    ///   this much in one burst.
    package init(_ limits: Limits, largest: Int) {
        bytesPerSecond = max(1, Int64(limits.bytesPerSecond))
        burst = max(1, Int64(limits.burst), Int64(largest))
    }

    /// The number of remembered users. When the table grows, it drops users who have not uploaded for a while.
    package var count: Int { buckets.withLock(\.table.count) }

    /// - Parameters:
    ///   - bytes: At most the size of the largest file.
    ///   - now: The time in milliseconds, from a clock shared by all loops. When it is set back, nothing refills, and
    ///     refilling continues from the new time.
    /// - Returns: Nil when the bytes were taken; otherwise the milliseconds until they may be, at least 1.
    package func charge(_ user: UserID, _ bytes: Int, now: Int64) -> Int64? {
        buckets.withLock { buckets in
            if buckets.table.count >= buckets.limit {
                buckets.table = buckets.table.filter { self.missing($0.value, now) > 0 }
                buckets.limit = max(Self.smallest, 2 * buckets.table.count)
            }
            if let known = buckets.table[user], known.at > now { buckets.table[user]?.at = now }
            let taken = buckets.table[user].map { self.missing($0, now) } ?? 0
            let bytes = min(max(0, Int64(bytes)), burst)
            let lacking = taken + bytes - burst
            guard lacking <= 0 else { return max(1, (lacking * 1_000 + bytesPerSecond - 1) / bytesPerSecond) }
            buckets.table[user] = Bucket(missing: taken + bytes, at: now)
            return nil
        }
    }

    private func missing(_ bucket: Bucket, _ now: Int64) -> Int64 {
        guard now > bucket.at else { return bucket.missing }
        let (difference, isLong) = now.subtractingReportingOverflow(bucket.at)
        let passed = isLong ? 1 << 40 : min(difference, 1 << 40)
        let (back, hasOverflowed) = passed.multipliedReportingOverflow(by: bytesPerSecond)
        return hasOverflowed ? 0 : max(0, bucket.missing - back / 1_000)
    }
}
