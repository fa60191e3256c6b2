import ChatModel

/// How many channels each user may still create now, and how many people they may still add to channels (`CH6`, `CH7`).
///
/// Users are charged for what reaches others: everyone whom a command adds, invites or tries to invite is notified. The
/// table is not part of the state, so a restart refills every allowance; only users who recently used theirs have one.
package struct UserAllowances: Sendable {
    /// The largest number of entries; beyond it, the half with the least left to recover is dropped.
    package static let limit = 20_000

    private struct Entry {
        var creations = RecoveringAllowance()
        var additions = RecoveringAllowance()

        var fullAt: Int64 { max(creations.fullAt, additions.fullAt) }
    }

    private var entries: [UserID: Entry] = [:]

    package init() {}

    package var count: Int { entries.count }

    /// Charges the caller for what a decision creates and whom it adds. The server is not charged.
    ///
    /// - Throws: 111 with the time after which the allowance suffices, or 1031 for more than a full allowance; then
    ///   nothing is charged.
    package mutating func charge(_ decision: Decision, _ context: Context) throws(Rejection) {
        guard let user = context.caller.user else { return }
        let (creations, additions) = decision.events.charges(to: user)
        guard creations > 0 || additions > 0 else { return }
        let settings = context.settings
        var entry = entries[user] ?? Entry()
        try entry.creations.consume(
            creations, "channels created", atOnce: settings.creationsAtOnce, perMinute: settings.creationsPerMinute,
            now: context.now)
        try entry.additions.consume(
            additions, "users added", atOnce: settings.additionsAtOnce, perMinute: settings.additionsPerMinute,
            now: context.now)
        if entries[user] == nil, entries.count >= Self.limit { shrink(at: context.now) }
        entries[user] = entry
    }

    /// Drops entries that have recovered and, if that is not enough, those closest to it.
    private mutating func shrink(at now: Int64) {
        entries = entries.filter { $0.value.fullAt > now * 1_000 }
        guard entries.count > Self.limit / 2 else { return }
        let last = entries.values.map(\.fullAt).sorted()[entries.count - Self.limit / 2 - 1]
        entries = entries.filter { $0.value.fullAt > last }
    }
}

/// Allows a burst, and a rate per minute once the burst is used up.
///
/// Stored as the time at which the allowance is full again (the generic cell rate algorithm).
struct RecoveringAllowance: Sendable, Equatable {
    /// In microseconds since 1970.
    private(set) var fullAt: Int64 = 0

    /// - Parameters:
    ///   - atOnce: 1 to 1,000,000.
    ///   - perMinute: 1 to 1,000,000.
    ///   - now: Milliseconds since 1970.
    /// - Throws: 111 with the wait in milliseconds, or 1031 with `what` if no wait would suffice.
    mutating func consume(
        _ count: Int, _ what: String, atOnce: Int, perMinute: Int, now: Int64
    ) throws(Rejection) {
        guard count > 0 else { return }
        guard count <= atOnce else { throw Rejection(.tooMany, "\(what) at once: at most \(atOnce)") }
        let each = max(1, 60_000_000 / Int64(max(1, perMinute)))
        let (now, all) = (now * 1_000, Int64(atOnce) * each)
        // After the setting was lowered, more may be missing than the whole allowance.
        let start = min(max(fullAt, now), now + all)
        let missing = start + Int64(count) * each - now - all
        guard missing <= 0 else {
            throw Rejection(.tooManyRequests, what, retryAfterMilliseconds: (missing + 999) / 1_000)
        }
        fullAt = start + Int64(count) * each
    }
}

extension [Event] {
    /// What a user is charged for.
    fileprivate func charges(to user: UserID) -> (creations: Int, additions: Int) {
        var (creations, additions) = (0, 0)
        for event in self {
            switch event {
            case .channelCreated(let created): if created.creator == user { creations += 1 }
            case .memberJoined(let joined): if joined.user != user { additions += 1 }
            case .invited(_, let invitee, _, _): if invitee != user { additions += 1 }
            // An invitee at their limit is notified of the attempt too.
            case .invitationCancelled(_, let invitee, let inviter, _):
                if inviter == user, invitee != user { additions += 1 }
            default: break
            }
        }
        return (creations, additions)
    }
}
