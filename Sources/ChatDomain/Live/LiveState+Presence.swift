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

    /// Sightings that one record holds; the rest waits for the next.
    package static let sightingsAtOnce = 1_000

    /// Takes over from the process before, of which nobody is connected any more: whoever was, was last seen when it wrote
    /// its last record.
    package mutating func restore(from state: ChatState) {
        for user in state.connectedUsers { presence.restore(user, leftAt: state.lastAt) }
    }

    /// Who came and who left since the last time.
    ///
    /// - Returns: Without sightings where only the time is to be written down, which tells when those who are connected were
    ///   last there; `nil` when nobody is and nothing has changed.
    package mutating func nextSightings(in state: ChatState) -> Event? {
        let sightings = presence.takeSightings(atMost: Self.sightingsAtOnce).filter(state.isNews)
        guard !sightings.isEmpty || presence.connectedCount > 0 else { return nil }
        return .usersSeen(sightings)
    }

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
            presence: Presence(userID: id, online: user.isOnline(presence), lastSeenAt: user.lastSeen(presence)))
        return [.transient(rooms, event)]
    }
}

extension UserState {
    /// Who is shut out is not there, though their connections may take a moment to end.
    func isOnline(_ presence: PresenceTable) -> Bool { isActive && presence.isOnline(id) }

    /// When their last connection ended, in this process or one before (`US7`); `nil` when that is not known.
    func lastSeen(_ presence: PresenceTable) -> Int64? {
        presence.lastSeen(id) ?? (lastSeenAt > 0 ? lastSeenAt : nil)
    }

    /// In full, and whether they are there now: for answers alone, as events are read later too.
    func view(_ presence: PresenceTable) -> User {
        var view = self.view
        view.online = isOnline(presence)
        view.lastSeenAt = lastSeen(presence)
        return view
    }
}

extension ChatState {
    /// By id: those of whom the last thing that was written down is that they came.
    fileprivate var connectedUsers: [UserID] { users.values.filter(\.isConnected).map(\.id).sorted() }

    /// Whether a sighting tells more than what is written down.
    fileprivate func isNews(_ sighting: Event.Sighting) -> Bool {
        guard let user = users[sighting.user] else { return false }
        return sighting.leftAt != nil || !user.isConnected
    }

    /// The user as they are told of themselves, with their presence.
    package func person(_ id: UserID, _ presence: PresenceTable) -> User? { users[id]?.view(presence) }

    /// A member, and whether they are there now: for answers alone.
    func view(of member: UserID, in channel: ChannelState, _ context: Context) -> Member {
        var view = view(of: member, in: channel, at: context.now)
        view.online = users[member]?.isOnline(context.presence) ?? false
        view.lastSeenAt = users[member]?.lastSeen(context.presence)
        return view
    }
}
