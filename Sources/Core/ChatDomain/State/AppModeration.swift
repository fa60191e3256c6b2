import ChatModel

/// The users who are banned or muted in the whole app (`MO2`).
struct AppModeration {
    private(set) var bans = SanctionList()
    private(set) var mutes = SanctionList()
    var log = ModerationLog(limit: FieldLimits.moderationLogOfApp)

    // MARK: evolve

    mutating func apply(_ record: Record) {
        switch record.event {
        case .userBanned(let sanctioned): bans.impose(SanctionList.Entry(sanctioned, record), on: sanctioned.user)
        case .userMuted(let sanctioned): mutes.impose(SanctionList.Entry(sanctioned, record), on: sanctioned.user)
        case .userUnbanned(let user): bans.lift(from: user)
        case .userUnmuted(let user): mutes.lift(from: user)
        default: break
        }
    }

    /// Forgets a user who no longer exists.
    mutating func forget(_ user: UserID) {
        bans.lift(from: user)
        mutes.lift(from: user)
    }

    mutating func load(_ part: AppSanctionsPart) {
        for ban in part.bans { bans.impose(SanctionList.Entry(ban), on: ban.user) }
        for mute in part.mutes { mutes.impose(SanctionList.Entry(mute), on: mute.user) }
    }
}

extension SanctionList.Entry {
    fileprivate init(_ sanctioned: Event.AppSanctioned, _ record: Record) {
        self.init(until: sanctioned.until, description: sanctioned.description, at: record.at, by: record.by)
    }
}

extension ChatState {
    /// Applies an event to the tables of moderation, each of which ignores those of the others.
    func moderate(_ record: Record) {
        moderation.apply(record)
        blockLists.apply(record)
        reports.apply(record)
        textRules.apply(record)
        roles.apply(record)
    }

    /// Returns why a user is refused everything (`MO2`): 1055 while they are banned from the app.
    func banRefusal(of user: UserID, at now: Int64) -> Rejection? {
        guard let ban = moderation.bans.entry(of: user, at: now) else { return nil }
        return Rejection(
            .bannedFromApp, retryAfterMilliseconds: ban.until == Sanction.endless ? nil : ban.until - now)
    }

    /// Returns when the user may send to a channel again: `nil` if they are muted neither there nor in the whole app.
    func muteEnd(of user: UserID, in channel: ChannelState, at now: Int64) -> Int64? {
        let end = channel.mutes.entry(of: user, at: now)?.until
        guard let appEnd = moderation.mutes.entry(of: user, at: now)?.until else { return end }
        return max(end ?? 0, appEnd)
    }
}
