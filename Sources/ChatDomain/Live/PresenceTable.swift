import ChatModel

/// Who has a living connection, and when the others were last seen (`US6`).
///
/// Of the moment: a new process begins with nobody there. Holds one entry per user who ever connected. Contexts share
/// it; it is changed while no context of a command lives, or it would be copied whole.
package struct PresenceTable: Sendable {
    /// Departures that one pass tells; the rest waits for the next, so that the loss of a whole network does not hold
    /// up the chat.
    package static let departuresAtOnce = 100
    /// Channels of those who depart that one pass looks at, and those of one person more.
    package static let channelsAtOnce = 5_000

    private struct Entry {
        var connections = 0
        var lastSeenAt: Int64?
        /// When the absence is told, unless they come back before; `nil` for who is there, and for who is told gone.
        var leavesAt: Int64?
        /// Whether they stand in `departures`, once at most.
        var isDeparting = false
        /// Whether they stand in `unrecorded`, once at most.
        var isUnrecorded = false
    }

    private var entries: [UserID: Entry] = [:]
    /// In the order in which they left; an entry may be out of date, which shows when its time has come.
    private var departures: [(user: UserID, at: Int64)] = []
    /// Who came or left since that was written down last.
    private var unrecorded: [UserID] = []
    /// Users with at least one connection.
    package private(set) var connectedCount = 0

    package init() {}

    /// When `depart` has something to do next, in milliseconds since 1970.
    package var nextDeparture: Int64? { departures.first?.at }

    /// Whether they hear what is said now.
    package func isConnected(_ user: UserID) -> Bool { (entries[user]?.connections ?? 0) > 0 }

    /// As others are told: who lost the last connection a moment ago is still there.
    package func isOnline(_ user: UserID) -> Bool {
        guard let entry = entries[user] else { return false }
        return entry.connections > 0 || entry.leavesAt != nil
    }

    /// When the user was last connected: now, where they are.
    func seen(_ user: UserID, now: Int64) -> Int64? {
        entries[user].flatMap { $0.connections > 0 ? now : $0.lastSeenAt }
    }

    /// Whether someone came or left since that was written down last.
    package var hasSightings: Bool { !unrecorded.isEmpty }

    /// When the last connection ended, in milliseconds since 1970; `nil` for who has not left since the start and was not
    /// connected when the process before ended.
    package func lastSeen(_ user: UserID) -> Int64? { entries[user]?.lastSeenAt }

    /// One more connection.
    ///
    /// - Returns: Whether they came: others take them for absent.
    mutating func connect(_ user: UserID) -> Bool {
        var entry = entries[user] ?? Entry()
        let wasThere = entry.connections > 0 || entry.leavesAt != nil
        if entry.connections == 0 {
            connectedCount += 1
            if !entry.isUnrecorded { unrecorded.append(user) }
            entry.isUnrecorded = true
        }
        entry.connections += 1
        entry.leavesAt = nil
        entries[user] = entry
        return !wasThere
    }

    /// One connection less.
    ///
    /// - Parameter grace: Milliseconds for which who left is still taken to be there.
    /// - Returns: Whether they left, and that is to be told at once.
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

    /// The process before ended with a connection of the user's alive, at about this time.
    mutating func restore(_ user: UserID, leftAt time: Int64) {
        guard entries[user] == nil else { return }
        entries[user] = Entry(lastSeenAt: time, isUnrecorded: true)
        unrecorded.append(user)
    }

    /// Who came and who left, in the order of the first change of each; to be written down now.
    mutating func takeSightings(atMost limit: Int) -> [Event.Sighting] {
        let users = unrecorded.prefix(limit)
        defer { unrecorded.removeFirst(users.count) }
        return users.compactMap { user in
            // Someone may have been forgotten meanwhile.
            guard let entry = entries[user], entry.isUnrecorded else { return nil }
            entries[user]?.isUnrecorded = false
            return Event.Sighting(user: user, leftAt: entry.connections > 0 ? nil : entry.lastSeenAt)
        }
    }

    /// Nothing is remembered of a user who is not known any more. Of one who is connected it is.
    mutating func forget(_ user: UserID) {
        if !isConnected(user) { entries[user] = nil }
    }

    /// Those whose grace is over leave.
    ///
    /// - Parameter channelCount: In how many channels someone is.
    /// - Returns: Who is to be told gone, in the order in which they left; at most `departuresAtOnce`.
    mutating func depart(at now: Int64, channelCount: (UserID) -> Int) -> [UserID] {
        var gone: [UserID] = []
        var looked = 0
        var channels = 0
        while looked < min(departures.count, Self.departuresAtOnce), departures[looked].at <= now,
            channels < Self.channelsAtOnce
        {
            let user = departures[looked].user
            looked += 1
            if let end = entries[user]?.leavesAt, end > now {
                // They came back and left again meanwhile.
                departures.append((user, end))
                continue
            }
            if entries[user]?.leavesAt != nil {
                gone.append(user)
                channels += channelCount(user)
            }
            entries[user]?.leavesAt = nil
            entries[user]?.isDeparting = false
        }
        departures.removeFirst(looked)
        return gone
    }
}
