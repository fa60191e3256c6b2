import ChatModel

/// The number of channels that each user can still create, and of users they can still add to channels (`CH6`, `CH7`).
///
/// Users are charged for each user they notify: everyone whom a command adds, invites or tries to invite. The table
/// contains only users who recently used their allowances. It is not part of the state, so a restart refills all
/// allowances.
package struct UserAllowances: Sendable {
    /// The maximum number of entries. Beyond it, the half that is closest to full recovery is dropped.
    package static let limit = 20_000

    private struct Entry {
        var creations = RecoveringAllowance()
        var additions = RecoveringAllowance()

        var fullAt: Int64 { max(creations.fullAt, additions.fullAt) }
    }

    private var entries: [UserID: Entry] = [:]

    package init() {}

    package var count: Int { entries.count }

    /// Charges the caller for the channels that a decision creates and the users it adds. The server is not charged.
    ///
    /// - Throws: 111 with the time until the allowance suffices, or 1031 for more than a full allowance. Nothing is
    ///   charged then.
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

    /// Drops entries that have recovered and, if that is not enough, those closest to recovery.
    private mutating func shrink(at now: Int64) {
        entries = entries.filter { $0.value.fullAt > now * 1_000 }
        guard entries.count > Self.limit / 2 else { return }
        let last = entries.values.map(\.fullAt).sorted()[entries.count - Self.limit / 2 - 1]
        entries = entries.filter { $0.value.fullAt > last }
    }
}

/// An allowance for a burst, which recovers at a rate per minute.
///
/// Stored as the time at which it is full again (the generic cell rate algorithm).
struct RecoveringAllowance: Sendable, Equatable {
    /// When the allowance is full again, in microseconds since 1970.
    private(set) var fullAt: Int64 = 0

    /// - Parameters:
    ///   - atOnce: The size of the burst: 1 to 1,000,000.
    ///   - perMinute: The amount recovered per minute: 1 to 1,000,000.
    ///   - now: The time in milliseconds since 1970.
    /// - Throws: 111 with the wait in milliseconds, or 1031 with `what` if no wait would suffice.
    mutating func consume(
        _ count: Int, _ what: String, atOnce: Int, perMinute: Int, now: Int64
    ) throws(Rejection) {
        guard count > 0 else { return }
        guard count <= atOnce else { throw Rejection(.tooMany, "\(what) at once: at most \(atOnce)") }
        let each = max(1, 60_000_000 / Int64(max(1, perMinute)))
        let (now, all) = (now * 1_000, Int64(atOnce) * each)
        // After the setting was lowered, the user may have used more than the whole allowance.
        let start = min(max(fullAt, now), now + all)
        let missing = start + Int64(count) * each - now - all
        guard missing <= 0 else {
            throw Rejection(.tooManyRequests, what, retryAfterMilliseconds: (missing + 999) / 1_000)
        }
        fullAt = start + Int64(count) * each
    }
}

extension [Event] {
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
