import ChatModel
import DequeModule
import WireProtocol

/// Who is writing where, until when (`L1`).
package struct TypingTable: Sendable {
    /// How long one is writing who does not say so again.
    package static let milliseconds: Int64 = 10_000
    /// What is renewed sooner is not told again: a client that sends with every key costs its channel nothing.
    package static let renewalMilliseconds: Int64 = 1_000
    package static let limit = 100_000
    /// Ends that one pass tells; the rest waits for the next.
    package static let endsAtOnce = 500

    private struct Key: Hashable {
        let channel: ChannelID
        let user: UserID
    }

    private struct Entry {
        var end: Int64
        /// Whether the entry stands in `queue` under this number.
        let number: UInt64
    }

    private var ends: [Key: Entry] = [:]
    /// In the order in which they began or were put off. An entry may be out of date, which shows when its time has come.
    private var queue: Deque<(key: Key, at: Int64, number: UInt64)> = []
    private var lastNumber: UInt64 = 0

    package var isEmpty: Bool { ends.isEmpty }

    /// - Returns: When it ends, in milliseconds since 1970; `nil` when that was told just now.
    mutating func start(_ user: UserID, in channel: ChannelID, at now: Int64) throws(Rejection) -> Int64? {
        let key = Key(channel: channel, user: user)
        let end = now + Self.milliseconds
        if let earlier = ends[key] {
            guard end >= earlier.end + Self.renewalMilliseconds else { return nil }
            ends[key]?.end = end
        } else {
            // What was stopped stands in the queue until its time has come.
            guard ends.count < Self.limit, queue.count < 2 * Self.limit else {
                throw Rejection(.tooManyRequests, "typing")
            }
            lastNumber += 1
            ends[key] = Entry(end: end, number: lastNumber)
            queue.append((key, end, lastNumber))
        }
        return end
    }

    /// - Returns: Whether they were writing.
    mutating func stop(_ user: UserID, in channel: ChannelID) -> Bool {
        ends.removeValue(forKey: Key(channel: channel, user: user)) != nil
    }

    /// When `expire` has something to do next, in milliseconds since 1970.
    package var nextEnd: Int64? { queue.first?.at }

    /// - Returns: Whose time is over, by channel and user; at most `endsAtOnce`.
    mutating func expire(at now: Int64) -> [(channel: ChannelID, user: UserID)] {
        var over: [Key] = []
        var looked = 0
        while looked < Self.endsAtOnce, let first = queue.first, first.at <= now {
            looked += 1
            queue.removeFirst()
            // Stopped since, and perhaps begun anew.
            guard let entry = ends[first.key], entry.number == first.number else { continue }
            if entry.end > now {
                queue.append((first.key, entry.end, first.number))
            } else {
                over.append(first.key)
                ends[first.key] = nil
            }
        }
        over.sort { ($0.channel, $0.user) < ($1.channel, $1.user) }
        return over.map { ($0.channel, $0.user) }
    }
}
