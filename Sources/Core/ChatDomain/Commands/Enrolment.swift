import ChatModel

/// Adds users to a channel on behalf of the app, without asking them. Ignores preferences, but applies bans and limits.
struct Enrolment {
    let channel: ChannelID
    /// The channel; `nil` if the command is about to create it.
    let existing: ChannelState?
    let isPublic: Bool
    let state: ChatState
    let context: Context
    /// Whether to ignore the roles given in open invitations.
    var endsRoles = false

    /// - Parameter more: The number of other channels that the user joins through the same command.
    /// - Returns: The reason why the user cannot join; `nil` also for an existing member.
    func refusal(of id: UserID, as role: MemberRole, more: Int = 0) -> Rejection? {
        guard let user = state.users[id] else { return Rejection(.notFound, "user \(id)") }
        if let refusal = state.refusal(of: id) { return refusal }
        if let refusal = state.guestRefusal(of: id, isPublic: isPublic, as: role) { return refusal }
        guard !isMember(id) else { return nil }
        if existing?.bans.entry(of: id, at: context.now) != nil { return Rejection(.banned, "user \(id)") }
        guard state.channelCount(of: user) + more < user.channelLimit(context.settings) else {
            return Rejection(.channelLimit, "user \(id)")
        }
        return nil
    }

    func isMember(_ id: UserID) -> Bool { existing?.members[id] != nil }
    /// Returns whether the user already counts towards the channel's member limit.
    func isCounted(_ id: UserID) -> Bool { isMember(id) || existing?.invitations[id] != nil }

    /// Returns the events that add a user; for an existing member, only a change of role.
    func events(for id: UserID, as role: MemberRole) -> [Event] {
        if let member = existing?.members[id] {
            return role == .operator && member.role != .operator ? [.operatorAdded(channel, id)] : []
        }
        let invitation = existing?.invitations[id]
        let joined = Event.memberJoined(
            Event.MemberJoined(
                channel: channel, user: id,
                role: role == .operator || endsRoles ? role : invitation?.role ?? role,
                invitedBy: invitation?.inviter, seesHistory: context.settings.historyVisibleToNewcomers))
        return invitation == nil ? [joined] : [.invitationAccepted(channel, id), joined]
    }
}

extension AddMembers: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try FieldChecks.ids(userIDs, "user_ids")
        guard !userIDs.isEmpty else { throw Rejection(.invalidValue, "user_ids: must not be empty") }
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let enrolment = enrolment(in: channel, state, context)
        var free = channel.freePlaces(context.settings)
        var events: [Event] = []
        var hasNewcomer = false
        for id in userIDs.uniqued()
        where !enrolment.isMember(id) && enrolment.refusal(of: id, as: .member) == nil {
            if !enrolment.isCounted(id) {
                guard free > 0 else { continue }
                free -= 1
                hasNewcomer = true
            }
            events += enrolment.events(for: id, as: .member)
        }
        if hasNewcomer, channel.distinctKey != nil { events.insert(.distinctEnded(channelID), at: 0) }
        return Decision(events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let joined = records.compactMap { record in
            if case .memberJoined(let joined) = record.event { joined.user } else { nil }
        }
        let enrolment = enrolment(in: channel, state, context)
        let newcomers = Set(joined)
        let refused = userIDs.uniqued().filter { !newcomers.contains($0) }.map { id in
            let isIn = enrolment.isMember(id)
            let rejection = enrolment.refusal(of: id, as: .member) ?? Rejection(isIn ? .alreadyAMember : .memberLimit)
            return InviteToChannel.Refusal(userID: id, code: rejection.code.rawValue, message: rejection.message)
        }
        return Response(
            channel: state.view(of: channel, for: context.caller.user, at: context.now), joined: joined,
            refused: refused)
    }

    private func enrolment(in channel: ChannelState, _ state: ChatState, _ context: Context) -> Enrolment {
        Enrolment(
            channel: channelID, existing: channel, isPublic: channel.isPublic, state: state, context: context)
    }
}
