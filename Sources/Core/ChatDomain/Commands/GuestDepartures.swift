import ChatModel

extension ChatState {
    /// Guests of one turn of a look at the guests; the rest waits for later turns, so that a look does not block the chat.
    package static let guestsAtOnce = 100
    /// The approximate number of events of one turn.
    package static let guestEventsAtOnce = 250
    /// Guests that one turn goes through to find those who are due.
    package static let guestsPerPass = 1_000

    /// Goes through some guests by id and finds those who are due.
    ///
    /// - Parameter last: Where the turn before ended; `nil` for the first guests.
    /// - Returns: Those who are due, and where this turn ended; `nil` after the last guest.
    package func guestsDue(after last: UserID?, _ context: Context) -> (due: [UserID], last: UserID?) {
        let look = GuestLook(context)
        let rest = guests.elements[(last.map(guests.index(after:)) ?? 0)...]
        let passed = rest.prefix(Self.guestsPerPass)
        let due = passed.filter { id in users[id].map(look.needs) ?? false }
        return (due, passed.count < rest.count ? passed.last : nil)
    }

    /// The events of one turn: guests who were away for long leave their channels and are removed. For guests who are
    /// connected, or were since they were last seen, that time is recorded, so that it survives a restart.
    ///
    /// - Parameter due: From `guestsDue`, in an earlier turn.
    /// - Returns: The events, and how many of the guests they are for.
    package func departures(of due: ArraySlice<UserID>, _ context: Context) -> (events: [Event], guests: Int) {
        let look = GuestLook(context)
        var events: [Event] = []
        for (count, id) in due.prefix(Self.guestsAtOnce).enumerated() {
            guard events.count < Self.guestEventsAtOnce else { return (events, count) }
            // They may have come back since, or be gone.
            guard let guest = users[id], look.needs(guest) else { continue }
            guard look.isAway(guest) else {
                events.append(.guestSeen(id))
                continue
            }
            events += guest.channelsInOrder.filter { channels[$0]?.members.all[id] != nil }.map { .memberLeft($0, id) }
            events.append(.guestRemoved(id))
        }
        return (events, min(due.count, Self.guestsAtOnce))
    }
}

/// What a look at the guests asks of each; made once per turn.
private struct GuestLook {
    private let now: Int64
    private let awayMilliseconds: Int64
    private let lookMilliseconds: Int64
    private let presence: PresenceTable

    init(_ context: Context) {
        now = context.now
        awayMilliseconds = context.settings.guests.awayMilliseconds
        lookMilliseconds = Int64(context.settings.guests.lookMilliseconds)
        presence = context.presence
    }

    func isAway(_ guest: UserState) -> Bool { now - lastSeen(guest) >= awayMilliseconds }

    func needs(_ guest: UserState) -> Bool {
        let seen = lastSeen(guest)
        guard now - seen < awayMilliseconds else { return true }
        // Guests who are connected were always seen just now; recording that once per look is enough.
        return seen - guest.seenAt >= (seen == now ? max(1, lookMilliseconds / 2) : 1)
    }

    private func lastSeen(_ guest: UserState) -> Int64 {
        max(guest.seenAt, presence.seen(guest.id, now: now) ?? 0)
    }
}
