import ChatModel
import DequeModule

/// The users who are typing in each channel, with the time at which typing expires (`L1`).
package struct TypingTable: Sendable {
    /// How long typing lasts unless renewed, in milliseconds.
    package static let milliseconds: Int64 = 10_000
    /// The minimum interval between announced renewals in milliseconds. A client that sends one per keystroke costs its
    /// channel nothing.
    package static let renewalMilliseconds: Int64 = 1_000
    package static let limit = 100_000
    /// The maximum number of expiries announced by one pass; the others wait for the next pass.
    package static let endsAtOnce = 500

    private struct Key: Hashable {
        let channel: ChannelID
        let user: UserID
    }

    private struct Entry {
        var end: Int64
        /// The number of the matching entry in `queue`.
        let number: UInt64
    }

    private var ends: [Key: Entry] = [:]
    /// Entries in the order of their start or renewal. They may be stale and are checked when they are due.
    private var queue: Deque<(key: Key, at: Int64, number: UInt64)> = []
    private var lastNumber: UInt64 = 0

    package var isEmpty: Bool { ends.isEmpty }

    /// - Returns: When typing expires, in milliseconds since 1970; `nil` if it was announced just now.
    mutating func start(_ user: UserID, in channel: ChannelID, at now: Int64) throws(Rejection) -> Int64? {
        let key = Key(channel: channel, user: user)
        let end = now + Self.milliseconds
        if let earlier = ends[key] {
            guard end >= earlier.end + Self.renewalMilliseconds else { return nil }
            ends[key]?.end = end
        } else {
            // Stopped entries stay in the queue until they are due.
            guard ends.count < Self.limit, queue.count < 2 * Self.limit else {
                throw Rejection(.tooManyRequests, "typing events")
            }
            lastNumber += 1
            ends[key] = Entry(end: end, number: lastNumber)
            queue.append((key, end, lastNumber))
        }
        return end
    }

    /// - Returns: Whether the user was typing.
    mutating func stop(_ user: UserID, in channel: ChannelID) -> Bool {
        ends.removeValue(forKey: Key(channel: channel, user: user)) != nil
    }

    /// When `expire` next has work to do, in milliseconds since 1970.
    package var nextEnd: Int64? { queue.first?.at }

    /// - Returns: The expired entries, sorted by channel and user; at most `endsAtOnce`.
    mutating func expire(at now: Int64) -> [(channel: ChannelID, user: UserID)] {
        var expired: [Key] = []
        var examined = 0
        while examined < Self.endsAtOnce, let first = queue.first, first.at <= now {
            examined += 1
            queue.removeFirst()
            // The user has stopped since, and possibly started again.
            guard let entry = ends[first.key], entry.number == first.number else { continue }
            if entry.end > now {
                queue.append((first.key, entry.end, first.number))
            } else {
                expired.append(first.key)
                ends[first.key] = nil
            }
        }
        expired.sort { ($0.channel, $0.user) < ($1.channel, $1.user) }
        return expired.map { ($0.channel, $0.user) }
    }
}
