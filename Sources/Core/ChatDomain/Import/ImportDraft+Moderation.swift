import ChatModel

/// Bans and mutes in the whole app, and users whom others have blocked.
extension ImportDraft {
    /// Adds a ban or mute, unless it is over or the user has one.
    mutating func addAppSanction(_ line: ImportLine) throws(Rejection) {
        let user = try Self.required(line.userID, "user_id")
        let until = try Self.required(line.until, "until")
        try checkKnown(user)
        try FieldChecks.bytes(line.description, "description", atMost: FieldLimits.descriptionBytes)
        try checkTime(line.at, "at")
        let isBan = line.type == "ban"
        let list = isBan ? state.moderation.bans : state.moderation.mutes
        let earlier = appSanctions(isBan: isBan)
        guard until > context.now, list.entry(of: user, at: context.now) == nil, !earlier.contains(user) else { return }
        guard list.hasRoom(for: user, at: context.now, limit: FieldLimits.sanctionsOfApp - earlier.count) else {
            throw Rejection(.tooMany, "sanctions of the app: at most \(FieldLimits.sanctionsOfApp)")
        }
        let sanctioned = Event.AppSanctioned(
            user: user, until: min(until, Sanction.endless), description: line.description)
        add(isBan ? .userBanned(sanctioned) : .userMuted(sanctioned))
    }

    /// Returns the users whom the lines so far ban, or mute.
    private func appSanctions(isBan: Bool) -> [UserID] {
        events.compactMap { event in
            switch event {
            case .userBanned(let sanctioned): isBan ? sanctioned.user : nil
            case .userMuted(let sanctioned): isBan ? nil : sanctioned.user
            default: nil
            }
        }
    }

    mutating func addBlock(_ line: ImportLine) throws(Rejection) {
        let user = try Self.required(line.userID, "user_id")
        let other = try Self.required(line.blockedUserID, "blocked_user_id")
        try checkKnown(user)
        try checkKnown(other)
        guard user != other else { throw Rejection(.invalidValue, "blocked_user_id: must be another user") }
        let new = newBlocks(by: user)
        guard !state.blockLists.has(user, blocked: other), !new.contains(other) else { return }
        guard state.blockLists.list(of: user).count + new.count < FieldLimits.blockedUsers else {
            throw Rejection(.tooMany, "blocked users: at most \(FieldLimits.blockedUsers)")
        }
        add(.userBlocked(other, by: user))
    }

    private func newBlocks(by user: UserID) -> [UserID] {
        events.compactMap { if case .userBlocked(let other, user) = $0 { other } else { nil } }
    }
}
