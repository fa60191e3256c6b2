import ChatModel

extension LiveState {
    /// A connection of the user begins.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: What others hear of it; nothing when the user was there already.
    package mutating func connect(
        _ user: UserID, in state: ChatState, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        guard presence.connect(user) else { return [] }
        return state.presenceChanged(user, presence, at: now, settings)
    }

    /// A connection of the user has ended. Who is shut out has no grace: they do not come back (`US2`).
    package mutating func disconnect(
        _ user: UserID, in state: ChatState, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        let isActive = state.users[user]?.isActive ?? false
        let grace = isActive ? Int64(settings.presenceGraceMilliseconds) : 0
        guard presence.disconnect(user, at: now, grace: grace) else { return [] }
        return state.presenceChanged(user, presence, at: now, settings)
    }

    /// A user is not known any more.
    package mutating func forget(_ user: UserID) { presence.forget(user) }

    /// Tells of those who left and did not come back in time.
    package mutating func depart(in state: ChatState, at now: Int64, _ settings: ChatSettings) -> [Effect] {
        presence.depart(at: now) { state.users[$0]?.joinedChannels.count ?? 0 }
            .flatMap { state.presenceChanged($0, presence, at: now, settings) }
    }
}

extension ChatState {
    /// Told in the small channels of the user, as a changed profile is.
    func presenceChanged(
        _ id: UserID, _ presence: PresenceTable, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        let rooms = smallChannels(of: id, settings)
        guard !rooms.isEmpty, let user = users[id] else { return [] }
        let event = TypedEvent(
            type: .presenceChanged, at: now, by: id,
            presence: Presence(userID: id, online: user.isOnline(presence), lastSeenAt: presence.lastSeen(id)))
        return [.transient(rooms, event)]
    }
}

extension UserState {
    /// Who is shut out is not there, though their connections may take a moment to end.
    func isOnline(_ presence: PresenceTable) -> Bool { isActive && presence.isOnline(id) }

    /// In full, and whether they are there now: for answers alone, as events are read later too.
    func view(_ presence: PresenceTable) -> User {
        var view = self.view
        view.online = isOnline(presence)
        view.lastSeenAt = presence.lastSeen(id)
        return view
    }
}

extension ChatState {
    /// The user as they are told of themselves, with their presence.
    package func person(_ id: UserID, _ presence: PresenceTable) -> User? { users[id]?.view(presence) }

    /// A member, and whether they are there now: for answers alone.
    func view(of member: UserID, in channel: ChannelState, _ context: Context) -> Member {
        var view = view(of: member, in: channel, at: context.now)
        view.online = users[member]?.isOnline(context.presence) ?? false
        view.lastSeenAt = context.presence.lastSeen(member)
        return view
    }
}
