import ChatModel

extension ChatState {
    /// The maximum number of guests handled in one turn; the others wait, so that a scan does not block the chat.
    package static let guestsAtOnce = 100
    /// The approximate maximum number of events in one turn.
    package static let guestEventsAtOnce = 250
    /// The number of guests examined in one turn.
    package static let guestsPerPass = 1_000

    /// Scans some guests, in the order of their ids, for those who are due.
    ///
    /// - Parameter last: The guest at which the previous turn ended; `nil` for the first turn.
    /// - Returns: The guests who are due, and the guest at which this turn ended; `nil` after the last guest.
    package func guestsDue(after last: UserID?, _ context: Context) -> (due: [UserID], last: UserID?) {
        let scan = GuestScan(context)
        let rest = guests.elements[(last.map(guests.upperBound(of:)) ?? 0)...]
        let passed = rest.prefix(Self.guestsPerPass)
        let due = passed.filter { id in users[id].map(scan.isDue) ?? false }
        return (due, passed.count < rest.count ? passed.last : nil)
    }

    /// Returns the events of one turn. Guests who were absent too long leave their channels and are removed. For other
    /// guests the events record when they were last connected, so that this survives a restart.
    ///
    /// - Parameter due: The guests returned by `guestsDue` in an earlier turn.
    /// - Returns: The events, and the number of guests they cover.
    package func departures(of due: ArraySlice<UserID>, _ context: Context) -> (events: [Event], guests: Int) {
        let scan = GuestScan(context)
        var events: [Event] = []
        for (count, id) in due.prefix(Self.guestsAtOnce).enumerated() {
            guard events.count < Self.guestEventsAtOnce else { return (events, count) }
            // They may have returned or been removed since.
            guard let guest = users[id], scan.isDue(guest) else { continue }
            guard scan.isAway(guest) else {
                events.append(.guestSeen(id))
                continue
            }
            events += guest.channelsInOrder.filter { channels[$0]?.members.all[id] != nil }.map { .memberLeft($0, id) }
            events.append(.guestRemoved(id))
        }
        return (events, min(due.count, Self.guestsAtOnce))
    }
}

/// The criteria of a scan, created once per turn.
private struct GuestScan {
    private let now: Int64
    private let awayMilliseconds: Int64
    private let scanMilliseconds: Int64
    private let presence: PresenceTable

    init(_ context: Context) {
        now = context.now
        awayMilliseconds = context.settings.guests.awayMilliseconds
        scanMilliseconds = Int64(context.settings.guests.scanMilliseconds)
        presence = context.presence
    }

    func isAway(_ guest: UserState) -> Bool { now - lastSeen(guest) >= awayMilliseconds }

    func isDue(_ guest: UserState) -> Bool {
        if guest.erasure != nil { return false }
        let seen = lastSeen(guest)
        guard now - seen < awayMilliseconds else { return true }
        // A connected guest was always seen just now; recording that once per scan is enough.
        return seen - guest.seenAt >= (seen == now ? max(1, scanMilliseconds / 2) : 1)
    }

    private func lastSeen(_ guest: UserState) -> Int64 {
        max(guest.seenAt, presence.seen(guest.id, now: now) ?? 0)
    }
}
