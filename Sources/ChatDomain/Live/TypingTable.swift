import ChatModel
import WireProtocol

/// Who is writing where, until when (`L1`).
package struct TypingTable: Sendable {
    /// How long one is writing who does not say so again.
    package static let milliseconds: Int64 = 10_000
    /// What is renewed sooner is not told again: a client that sends with every key costs its channel nothing.
    package static let renewalMilliseconds: Int64 = 1_000
    package static let limit = 100_000

    private struct Key: Hashable {
        let channel: ChannelID
        let user: UserID
    }

    private var ends: [Key: Int64] = [:]

    package var isEmpty: Bool { ends.isEmpty }

    /// - Returns: When it ends, in milliseconds since 1970; `nil` when that was told just now.
    mutating func start(_ user: UserID, in channel: ChannelID, at now: Int64) throws(Rejection) -> Int64? {
        let key = Key(channel: channel, user: user)
        let end = now + Self.milliseconds
        if let earlier = ends[key] {
            guard end >= earlier + Self.renewalMilliseconds else { return nil }
        } else {
            guard ends.count < Self.limit else { throw Rejection(.tooManyRequests, "typing") }
        }
        ends[key] = end
        return end
    }

    /// - Returns: Whether they were writing.
    mutating func stop(_ user: UserID, in channel: ChannelID) -> Bool {
        ends.removeValue(forKey: Key(channel: channel, user: user)) != nil
    }

    /// One pass over all of them.
    ///
    /// - Returns: Whose time is over, by channel and user.
    mutating func expire(at now: Int64) -> [(channel: ChannelID, user: UserID)] {
        let over = ends.filter { $0.value <= now }.keys.sorted { ($0.channel, $0.user) < ($1.channel, $1.user) }
        for key in over { ends[key] = nil }
        return over.map { ($0.channel, $0.user) }
    }
}
