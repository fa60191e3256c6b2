import ChatModel

extension GetChannel: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> ChannelResponse {
        let channel = try state.visibleChannel(channelID, to: context.caller)
        let view = state.view(of: channel, for: context.caller.user, at: context.now)
        context.work.charge(view.wireSize * WorkCost.encodedByte)
        return ChannelResponse(channel: view)
    }
}

/// The response of every command whose only field is a channel.
extension Change where Self: ChannelRequest {
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        try state.answer(channelID, context)
    }
}

extension ChatState {
    /// Returns the channel as the caller sees it after the change.
    func answer(_ id: ChannelID, _ context: Context) throws(Rejection) -> ChannelResponse {
        guard let channel = channels[id] else { throw Rejection(.notFound, "channel") }
        return ChannelResponse(channel: view(of: channel, for: context.caller.user, at: context.now))
    }
}

extension JoinChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let channel = try state.visibleChannel(channelID, to: context.caller)
        guard channel.members[user.id] == nil else { throw Rejection(.alreadyAMember) }
        if let invitation = channel.invitations[user.id] {
            return accepting(invitation, of: user, in: channel, state, context)
        }
        guard channel.isPublic else { throw Rejection(.invitationRequired) }
        guard channel.bans.entry(of: user.id, at: context.now) == nil else { throw Rejection(.banned) }
        let settings = context.settings
        guard state.channelCount(of: user) < user.channelLimit(settings) else { throw Rejection(.channelLimit) }
        guard (user.id.isGuest ? channel.freeGuestPlaces(settings) : channel.freePlaces(settings)) > 0 else {
            throw Rejection(.memberLimit)
        }
        return Decision(
            [
                .memberJoined(
                    Event.MemberJoined(
                        channel: channel.id, user: user.id, role: .member, invitedBy: nil,
                        seesHistory: context.settings.historyVisibleToNewcomers))
            ] + endOfDistinct(channel))
    }
}

extension AcceptInvitation: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let channel = try state.visibleChannel(channelID, to: context.caller)
        guard channel.members[user.id] == nil else { throw Rejection(.alreadyAMember) }
        guard let invitation = channel.invitations[user.id] else { throw Rejection(.noInvitation) }
        return accepting(invitation, of: user, in: channel, state, context)
    }
}

extension DeclineInvitation: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let channel = try state.visibleChannel(channelID, to: context.caller)
        guard channel.members[user.id] == nil else { throw Rejection(.alreadyAMember) }
        guard let invitation = channel.invitations[user.id] else { throw Rejection(.noInvitation) }
        return Decision(
            [.invitationDeclined(channel.id, user.id, by: invitation.inviter, invitedAt: invitation.at)]
                + endOfDistinct(channel))
    }
}

extension LeaveChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let channel = try state.joinedChannel(channelID, by: context.caller)
        return Decision([.memberLeft(channel.id, user.id)] + endOfDistinct(channel))
    }
}

extension InviteToChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.voicedChannel(channelID, context)
        try state.check(.invite, in: channel, context)
        let admission = try admission(to: channel, in: state, context)
        let isChanged = !admission.joined.isEmpty || !admission.invited.isEmpty
        return Decision((isChanged ? endOfDistinct(channel) : []) + admission.events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        guard let channel = state.channels[channelID] else { throw Rejection(.notFound, "channel") }
        var response = Response(
            channel: state.view(of: channel, for: context.caller.user, at: context.now), joined: [], invited: [],
            refused: [])
        for record in records {
            switch record.event {
            case .memberJoined(let joined): response.joined.append(joined.user)
            case .invited(_, let user, _, _): response.invited.append(user)
            default: break
            }
        }
        let admitted = Set(response.joined + response.invited)
        let cancelled = Set(records.compactMap(\.cancelledInvitee))
        for user in userIDs.uniqued() where !admitted.contains(user) {
            let rejection = refusal(of: user, wasCancelled: cancelled.contains(user), channel, state, context)
            response.refused.append(
                Refusal(userID: user, code: rejection.code.rawValue, message: rejection.message))
        }
        return response
    }

    private func admission(
        to channel: ChannelState, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Admission {
        try FieldChecks.ids(userIDs, "user_ids")
        guard !userIDs.isEmpty else { throw Rejection(.invalidValue, "user_ids: must not be empty") }
        var admission = Admission(to: channel, by: context.caller.user, state, context)
        for id in userIDs.uniqued() {
            guard let user = state.users[id], user.isActive, channel.members[id] == nil, channel.invitations[id] == nil,
                channel.bans.entry(of: id, at: context.now) == nil,
                state.blockRefusal(of: id, by: context.caller.user) == nil,
                state.guestRefusal(of: id, isPublic: channel.isPublic, as: .member) == nil
            else { continue }
            admission.admit(user, as: .member)
        }
        return admission
    }

    /// Returns why a user was neither joined nor invited, determined afterwards.
    private func refusal(
        of user: UserID, wasCancelled: Bool, _ channel: ChannelState, _ state: ChatState, _ context: Context
    ) -> Rejection {
        if wasCancelled {
            return state.users[user].flatMap { state.admissionLimit(of: $0, by: context.caller.user, context.settings) }
                ?? Rejection(.channelLimit)
        }
        guard state.knows(user) else { return Rejection(.notFound, "user") }
        // Bans from the app, which all end before this time, do not keep anyone from being invited.
        if let refusal = state.refusal(of: .user(user), at: .max) { return refusal }
        if channel.members[user] != nil { return Rejection(.alreadyAMember) }
        if channel.invitations[user] != nil { return Rejection(.alreadyAMember, "already invited") }
        if channel.bans.entry(of: user, at: context.now) != nil { return Rejection(.banned) }
        if let refusal = state.blockRefusal(of: user, by: context.caller.user) { return refusal }
        if let refusal = state.guestRefusal(of: user, isPublic: channel.isPublic, as: .member) { return refusal }
        let limit = FieldLimits.invitationsPerChannel
        if channel.invitations.count >= limit, state.users[user]?.autoAcceptInvitations == false {
            return Rejection(.tooMany, "open invitations of the channel: at most \(limit)")
        }
        return Rejection(.memberLimit)
    }
}

extension Record {
    fileprivate var cancelledInvitee: UserID? {
        guard case .invitationCancelled(_, let user, _, _) = event else { return nil }
        return user
    }
}

/// Accepts an invitation. A user at the maximum number of channels is refused, and the invitation is cancelled (`US4`).
private func accepting(
    _ invitation: ChannelState.InvitationState, of user: UserState, in channel: ChannelState, _ state: ChatState,
    _ context: Context
) -> Decision {
    guard state.channelCount(of: user) < user.channelLimit(context.settings) else {
        return Decision(
            [.invitationCancelled(channel.id, user.id, by: invitation.inviter, invitedAt: invitation.at)]
                + endOfDistinct(channel), refusal: Rejection(.channelLimit))
    }
    return Decision([
        .invitationAccepted(channel.id, user.id),
        .memberJoined(
            Event.MemberJoined(
                channel: channel.id, user: user.id, role: invitation.role, invitedBy: invitation.inviter,
                seesHistory: context.settings.historyVisibleToNewcomers)),
    ])
}

/// Ends the channel's distinctness if a user joins or leaves (`CH3`), or an invitation ends unaccepted. Otherwise the
/// key would lead users to a channel that they are not in.
func endOfDistinct(_ channel: ChannelState) -> [Event] {
    channel.distinctKey == nil ? [] : [.distinctEnded(channel.id)]
}
