import ChatModel

extension ChatState {
    /// Events that one look at the guests leads to, about: the rest waits for the next, so that it does not hold up the
    /// chat.
    package static let guestEventsAtOnce = 250

    /// What has become of the guests by now: who was away for long leaves their channels and is forgotten; of those who are
    /// connected, or were since they were last seen, that is written down, so that a restart does not forget it.
    ///
    /// - Returns: The events, those of the longest away first, and whether there is more to do at once.
    package func departures(of context: Context) -> (events: [Event], isMore: Bool) {
        let settings = context.settings.guests
        var events: [Event] = []
        // Each of them is an event at least: one more than one pass takes tells whether there is another.
        let due = guests.values.lazy.filter { needsLook($0, context) }
            .least(Self.guestEventsAtOnce + 1) { ($0.seenAt, $0.id) < ($1.seenAt, $1.id) }
        for guest in due {
            guard events.count < Self.guestEventsAtOnce else { return (events, true) }
            guard context.now - lastSeen(guest, context) >= settings.awayMilliseconds else {
                events.append(.guestSeen(guest.id))
                continue
            }
            events += channels(of: guest).map { .memberLeft($0, guest.id) }
            events.append(.guestRemoved(guest.id))
        }
        return (events, false)
    }

    private func needsLook(_ guest: UserState, _ context: Context) -> Bool {
        let (seen, settings) = (lastSeen(guest, context), context.settings.guests)
        guard context.now - seen < settings.awayMilliseconds else { return true }
        // Guests who are connected were seen just now, whenever it is asked: once for each look is enough.
        return seen - guest.seenAt >= (seen == context.now ? max(1, Int64(settings.lookMilliseconds / 2)) : 1)
    }

    private func lastSeen(_ guest: UserState, _ context: Context) -> Int64 {
        max(guest.seenAt, context.presence.seen(guest.id, now: context.now) ?? 0)
    }
}
