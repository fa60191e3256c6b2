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

    /// Tells of those who left and did not come back in time.
    package mutating func depart(in state: ChatState, at now: Int64, _ settings: ChatSettings) -> [Effect] {
        presence.depart(at: now).flatMap { state.presenceChanged($0, presence, at: now, settings) }
    }
}

extension ChatState {
    /// Memberships that one change of presence looks at; small channels come first. Who is in more than a hundred full
    /// channels of a hundred is not followed everywhere, and the chat is held up for a millisecond at most.
    package static let presenceMemberships = 10_000

    func presenceChanged(
        _ id: UserID, _ presence: PresenceTable, at now: Int64, _ settings: ChatSettings
    ) -> [Effect] {
        let rooms = presenceAudience(of: id, presence, settings)
        guard !rooms.isEmpty, let user = users[id] else { return [] }
        let event = TypedEvent(
            type: .presenceChanged, at: now, by: id,
            presence: Presence(userID: id, online: user.isOnline(presence), lastSeenAt: presence.lastSeen(id)))
        return [.transient(rooms, event)]
    }

    /// The inboxes of all who are connected and share a small channel with the user: each hears of it once, however
    /// many channels it is. In no order, as nobody hears it twice.
    private func presenceAudience(of id: UserID, _ presence: PresenceTable, _ settings: ChatSettings) -> [Room] {
        let small = (users[id]?.joinedChannels ?? []).compactMap { channels[$0] }.filter { $0.isSmall(settings) }
            .sorted { ($0.members.count, $0.id) < ($1.members.count, $1.id) }
        var people: Set<UserID> = []
        var looked = 0
        for channel in small {
            looked += channel.members.count
            guard looked <= Self.presenceMemberships else { break }
            for member in channel.members.keys where presence.isConnected(member) { people.insert(member) }
        }
        people.remove(id)
        return people.map { .inbox($0) }
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
