import ChatModel

/// The open connections of each user, and when disconnected users were last seen (`US6`).
///
/// Not persistent: nobody is online after a restart. Has one entry per user who ever connected. Contexts share the
/// table: changing it while a command's context exists would copy all of it.
package struct PresenceTable: Sendable {
    /// The maximum number of departures announced by one pass. The others wait, so that the loss of a whole network
    /// does not block the chat.
    package static let departuresAtOnce = 100
    /// The total number of channels of departing users after which a pass ends; the last user may exceed it.
    package static let channelsAtOnce = 5_000

    private struct Entry {
        var connections = 0
        var lastSeenAt: Int64?
        /// When the grace period ends, in milliseconds since 1970; `nil` if there is none.
        var leavesAt: Int64?
        /// Whether the user is in `departures`, which holds each user at most once.
        var isDeparting = false
        /// Whether the user is in `unrecorded`, which holds each user at most once.
        var isUnrecorded = false
    }

    private var entries: [UserID: Entry] = [:]
    /// The departures in chronological order. Entries may be stale and are checked when they are due.
    private var departures: [(user: UserID, at: Int64)] = []
    /// Users who connected or disconnected since the last record.
    private var unrecorded: [UserID] = []
    /// The number of users with at least one connection.
    package private(set) var connectedCount = 0

    package init() {}

    /// When `depart` next has work to do, in milliseconds since 1970.
    package var nextDeparture: Int64? { departures.first?.at }

    package func isConnected(_ user: UserID) -> Bool { (entries[user]?.connections ?? 0) > 0 }

    /// Returns the online status shown to others, which includes the grace period.
    package func isOnline(_ user: UserID) -> Bool {
        guard let entry = entries[user] else { return false }
        return entry.connections > 0 || entry.leavesAt != nil
    }

    /// Returns when the user was last connected; `now` if they are connected.
    func seen(_ user: UserID, now: Int64) -> Int64? {
        entries[user].flatMap { $0.connections > 0 ? now : $0.lastSeenAt }
    }

    /// Whether a user connected or disconnected since the last record.
    package var hasSightings: Bool { !unrecorded.isEmpty }

    /// Returns when the user's last connection ended, in milliseconds since 1970; `nil` if it ended before the previous
    /// process did, or never.
    package func lastSeen(_ user: UserID) -> Int64? { entries[user]?.lastSeenAt }

    /// Adds a connection.
    ///
    /// - Returns: Whether the user was shown as offline and is now online.
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
    /// - Parameter grace: How long a disconnected user still counts as online, in milliseconds.
    /// - Returns: Whether the user is now offline, which must be announced immediately.
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

    /// Removes and returns unrecorded sightings, ordered by each user's first change.
    mutating func drainSightings(atMost limit: Int) -> [Event.Sighting] {
        let users = unrecorded.prefix(limit)
        defer { unrecorded.removeFirst(users.count) }
        return users.compactMap { user in
            // The user may have been removed since.
            guard let entry = entries[user], entry.isUnrecorded else { return nil }
            entries[user]?.isUnrecorded = false
            return Event.Sighting(user: user, leftAt: entry.connections > 0 ? nil : entry.lastSeenAt)
        }
    }

    /// Removes the entry of a deleted user, unless they are connected.
    mutating func remove(_ user: UserID) {
        if !isConnected(user) { entries[user] = nil }
    }

    /// Ends expired grace periods.
    ///
    /// - Parameter channelCount: Returns the number of channels that a user is in.
    /// - Returns: The users to announce as offline, in the order of departure; at most `departuresAtOnce`.
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
                // The user returned and left again in the meantime.
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
