import ChatModel

/// Who has an open connection, and when the others were last seen (`US6`).
///
/// Not persistent: after a restart nobody is online. Holds one entry per user who ever connected. Contexts share it, so
/// it must not be changed while the context of a command exists; otherwise it would be copied entirely.
package struct PresenceTable: Sendable {
    /// Departures announced by one pass. The rest waits for the next pass, so that the loss of a whole network does not
    /// block the chat.
    package static let departuresAtOnce = 100
    /// One pass ends once the departing users are in this many channels together; the last user may exceed it.
    package static let channelsAtOnce = 5_000

    private struct Entry {
        var connections = 0
        var lastSeenAt: Int64?
        /// When the departure is announced unless the user returns first; `nil` for online and for departed users.
        var leavesAt: Int64?
        /// Whether the user is in `departures`, which holds each user at most once.
        var isDeparting = false
        /// Whether the user is in `unrecorded`, which holds each user at most once.
        var isUnrecorded = false
    }

    private var entries: [UserID: Entry] = [:]
    /// In the order of departure. An entry may be stale, which is checked when it is due.
    private var departures: [(user: UserID, at: Int64)] = []
    /// Users who came or left since that was last recorded.
    private var unrecorded: [UserID] = []
    /// Users with at least one connection.
    package private(set) var connectedCount = 0

    package init() {}

    /// When `depart` next has work to do, in milliseconds since 1970.
    package var nextDeparture: Int64? { departures.first?.at }

    /// Whether the user has an open connection.
    package func isConnected(_ user: UserID) -> Bool { (entries[user]?.connections ?? 0) > 0 }

    /// The online status shown to others: a user within the grace period still counts as online.
    package func isOnline(_ user: UserID) -> Bool {
        guard let entry = entries[user] else { return false }
        return entry.connections > 0 || entry.leavesAt != nil
    }

    /// When the user was last connected; `now` if they are connected.
    func seen(_ user: UserID, now: Int64) -> Int64? {
        entries[user].flatMap { $0.connections > 0 ? now : $0.lastSeenAt }
    }

    /// Whether someone came or left since that was last recorded.
    package var hasSightings: Bool { !unrecorded.isEmpty }

    /// When the last connection ended, in milliseconds since 1970; `nil` for a user who has not left since the start
    /// and was not connected when the previous process ended.
    package func lastSeen(_ user: UserID) -> Int64? { entries[user]?.lastSeenAt }

    /// Adds a connection.
    ///
    /// - Returns: Whether the user came online, having been shown as offline before.
    mutating func connect(_ user: UserID) -> Bool {
        var entry = entries[user] ?? Entry()
        let wasOnline = entry.connections > 0 || entry.leavesAt != nil
        if entry.connections == 0 {
            connectedCount += 1
            if !entry.isUnrecorded { unrecorded.append(user) }
            entry.isUnrecorded = true
        }
        entry.connections += 1
        entry.leavesAt = nil
        entries[user] = entry
        return !wasOnline
    }

    /// Removes a connection.
    ///
    /// - Parameter grace: How long a user who left still counts as online, in milliseconds.
    /// - Returns: Whether the user went offline, which must be announced at once.
    mutating func disconnect(_ user: UserID, at now: Int64, grace: Int64) -> Bool {
        guard var entry = entries[user], entry.connections > 0 else { return false }
        defer { entries[user] = entry }
        entry.connections -= 1
        guard entry.connections == 0 else { return false }
        connectedCount -= 1
        entry.lastSeenAt = now
        if !entry.isUnrecorded { unrecorded.append(user) }
        entry.isUnrecorded = true
        guard grace > 0 else { return true }
        entry.leavesAt = now + grace
        if !entry.isDeparting { departures.append((user, now + grace)) }
        entry.isDeparting = true
        return false
    }

    /// Restores a user who was connected when the previous process ended, at about this time.
    mutating func restore(_ user: UserID, leftAt time: Int64) {
        guard entries[user] == nil else { return }
        entries[user] = Entry(lastSeenAt: time, isUnrecorded: true)
        unrecorded.append(user)
    }

    /// Removes the users who came and left from the unrecorded ones, in the order of their first change.
    mutating func drainSightings(atMost limit: Int) -> [Event.Sighting] {
        let users = unrecorded.prefix(limit)
        defer { unrecorded.removeFirst(users.count) }
        return users.compactMap { user in
            // The user may have been removed in the meantime.
            guard let entry = entries[user], entry.isUnrecorded else { return nil }
            entries[user]?.isUnrecorded = false
            return Event.Sighting(user: user, leftAt: entry.connections > 0 ? nil : entry.lastSeenAt)
        }
    }

    /// Drops the entry of a user who no longer exists, unless they are connected.
    mutating func remove(_ user: UserID) {
        if !isConnected(user) { entries[user] = nil }
    }

    /// Ends expired grace periods.
    ///
    /// - Parameter channelCount: The number of channels that a user is in.
    /// - Returns: The users to announce as offline, in the order in which they left; at most `departuresAtOnce`.
    mutating func depart(at now: Int64, channelCount: (UserID) -> Int) -> [UserID] {
        var departed: [UserID] = []
        var examined = 0
        var channels = 0
        while examined < min(departures.count, Self.departuresAtOnce), departures[examined].at <= now,
            channels < Self.channelsAtOnce
        {
            let user = departures[examined].user
            examined += 1
            if let end = entries[user]?.leavesAt, end > now {
                // The user came back and left again in the meantime.
                departures.append((user, end))
                continue
            }
            if entries[user]?.leavesAt != nil {
                departed.append(user)
                channels += channelCount(user)
            }
            entries[user]?.leavesAt = nil
            entries[user]?.isDeparting = false
        }
        departures.removeFirst(examined)
        return departed
    }
}
