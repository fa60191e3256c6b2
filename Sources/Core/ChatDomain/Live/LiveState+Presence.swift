import ChatModel

extension LiveState {
    /// Records a new connection of the user.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The effects for other users; empty if the user was already online.
    package mutating func connect(
        _ user: UserID, in state: ChatState, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        guard presence.connect(user) else { return [] }
        return state.presenceChanged(user, presence, at: now, settings)
    }

    /// Records that a connection of the user ended. A deactivated or banned user gets no grace period, because they cannot
    /// reconnect (`US2`).
    package mutating func disconnect(
        _ user: UserID, in state: ChatState, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        // A deleted user leaves nothing to a later one with the same id.
        defer { if state.users[user] == nil { presence.remove(user) } }
        let mayReturn = state.users[user]?.isActive ?? false && state.banRefusal(of: user, at: now) == nil
        let grace = mayReturn ? Int64(settings.presenceGraceMilliseconds) : 0
        guard presence.disconnect(user, at: now, grace: grace) else { return [] }
        return state.presenceChanged(user, presence, at: now, settings)
    }

    /// Removes a deleted user.
    package mutating func remove(_ user: UserID) { presence.remove(user) }

    /// The maximum number of sightings in one record; the others wait for the next record.
    package static let sightingsAtOnce = 1_000

    /// Restores presence after a restart, when nobody is connected. Users who were connected before were last seen at
    /// the time of the last record.
    package mutating func restore(from state: ChatState) {
        for user in state.connectedUsers { presence.restore(user, leftAt: state.lastAt) }
    }

    /// Returns the users who connected or disconnected since the last call.
    ///
    /// - Returns: An event without sightings if nothing has changed but users are connected: its time shows when they
    ///   were last online. `nil` if nobody is connected either.
    package mutating func nextSightings(in state: ChatState) -> Event? {
        let sightings = presence.drainSightings(atMost: Self.sightingsAtOnce).filter(state.isNew)
        guard !sightings.isEmpty || presence.connectedCount > 0 else { return nil }
        return .usersSeen(sightings)
    }

    /// Announces users whose grace period expired before they reconnected.
    package mutating func depart(in state: ChatState, at now: Int64, _ settings: ChatSettings) -> [Effect] {
        presence.depart(at: now) { state.users[$0]?.joinedChannels.count ?? 0 }
            .flatMap { state.presenceChanged($0, presence, at: now, settings) }
    }
}

extension ChatState {
    /// Announces a user's presence to their small channels, as for a profile change.
    func presenceChanged(
        _ id: UserID, _ presence: PresenceTable, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        let rooms = smallChannels(of: id, settings)
        guard !rooms.isEmpty, let user = users[id] else { return [] }
        let event = TypedEvent(
            type: .presenceChanged, at: now, by: id,
            presence: Presence(userID: id, online: user.isOnline(presence), lastSeenAt: user.lastSeen(presence)))
        return [.transient(rooms, event, hiddenFrom: blockLists.list(of: id))]
    }
}

extension UserState {
    /// Returns whether the user counts as online. Deactivated users never do, even while their connections are still
    /// closing.
    func isOnline(_ presence: PresenceTable) -> Bool { isActive && presence.isOnline(id) }

    /// Returns when the user's last connection ended, including before a restart (`US7`); `nil` if unknown.
    func lastSeen(_ presence: PresenceTable) -> Int64? {
        presence.lastSeen(id) ?? (lastSeenAt > 0 ? lastSeenAt : nil)
    }

    /// Returns the complete user with the online status. For responses only, because events may be read later.
    func view(_ presence: PresenceTable) -> User {
        var view = self.view
        view.online = isOnline(presence)
        view.lastSeenAt = lastSeen(presence)
        return view
    }
}

extension ChatState {
    /// Users whose last recorded sighting is a connection, sorted by id.
    fileprivate var connectedUsers: [UserID] { users.values.filter(\.isConnected).map(\.id).sorted() }

    /// Returns whether a sighting differs from the recorded one.
    fileprivate func isNew(_ sighting: Event.Sighting) -> Bool {
        guard let user = users[sighting.user] else { return false }
        return sighting.leftAt != nil || !user.isConnected
    }

    /// Returns the user as they see themselves, with their presence.
    package func person(_ id: UserID, _ presence: PresenceTable) -> User? { users[id]?.view(presence) }

    /// Returns a member with the online status. For responses only.
    func view(of member: UserID, in channel: ChannelState, _ context: Context) -> Member {
        var view = view(of: member, in: channel, at: context.now)
        if let caller = context.caller.user, blockLists.has(member, blocked: caller) {
            view.online = false
            return view
        }
        view.online = users[member]?.isOnline(context.presence) ?? false
        view.lastSeenAt = users[member]?.lastSeen(context.presence)
        return view
    }
}
