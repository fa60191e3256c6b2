import ChatModel

extension ChatState {
    /// The approximate number of events of one pass over the guests. The rest waits for the next pass, so that one pass
    /// does not block the chat.
    package static let guestEventsAtOnce = 250

    /// The events of one pass: guests who were away for long leave their channels and are removed. For guests who are
    /// connected, or were since they were last seen, that time is recorded, so that it survives a restart.
    ///
    /// - Returns: The events, those of the longest absent guests first, and whether another pass is due immediately.
    package func departures(of context: Context) -> (events: [Event], isMore: Bool) {
        let settings = context.settings.guests
        var events: [Event] = []
        // Each guest causes at least one event, so one more than a pass allows shows whether another pass is needed.
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
        // Guests who are connected were always seen just now; recording that once per pass is enough.
        return seen - guest.seenAt >= (seen == context.now ? max(1, Int64(settings.lookMilliseconds / 2)) : 1)
    }

    private func lastSeen(_ guest: UserState, _ context: Context) -> Int64 {
        max(guest.seenAt, context.presence.seen(guest.id, now: context.now) ?? 0)
    }
}
