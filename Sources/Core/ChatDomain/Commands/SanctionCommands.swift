import ChatModel

extension BanMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .ban, context)
        let sanction = try sanction(in: channel, earlier: channel.bans, state, context)
        let ban = channel.bans.entry(of: userID, at: context.now)
        guard channel.includes(userID) || ban.map({ !$0.isOutsider }) ?? false else {
            return Decision([.outsiderBanned(sanction)])
        }
        var events: [Event] = []
        if let invitation = channel.invitations[userID] {
            events.append(
                .invitationCancelled(channel.id, userID, by: invitation.inviter, invitedAt: invitation.at))
        }
        events.append(.memberBanned(sanction))
        let isLosing = channel.members[userID] != nil || channel.invitations[userID] != nil
        if isLosing, channel.distinctKey != nil { events.append(.distinctEnded(channel.id)) }
        return Decision(events)
    }
}

extension MuteMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .mute, context)
        let sanction = try sanction(in: channel, earlier: channel.mutes, state, context)
        guard channel.includes(userID) || channel.mutes.entry(of: userID, at: context.now) != nil else {
            throw Rejection(.notAMember, "user \(userID)")
        }
        return Decision([.memberMuted(sanction)])
    }
}

extension Change where Self: SanctionRequest {
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> MemberResponse {
        try state.member(userID, of: channelID, context)
    }
}

/// The response of every command that lifts a sanction.
extension Change where Self: MemberRequest {
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> MemberResponse {
        try state.member(userID, of: channelID, context)
    }
}

extension RemoveMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .remove, context)
        let user = try state.user(userID)
        try context.checkIsOther(user.id)
        try state.checkIsBelow(user.id, in: channel, context)
        let end: Event
        if channel.members[user.id] != nil {
            end = .memberLeft(channel.id, user.id)
        } else if let invitation = channel.invitations[user.id] {
            end = .invitationCancelled(channel.id, user.id, by: invitation.inviter, invitedAt: invitation.at)
        } else {
            throw Rejection(.notAMember, "user \(user.id)")
        }
        return Decision([end] + endOfDistinct(channel))
    }
}

extension UnbanMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .ban, context)
        let user = try state.user(userID)
        try state.checkIsBelow(user.id, in: channel, context)
        guard let ban = channel.bans.entry(of: user.id, at: context.now) else { return Decision([]) }
        return Decision([
            ban.isOutsider ? .outsiderUnbanned(channel.id, user.id) : .memberUnbanned(channel.id, user.id)
        ])
    }
}

extension UnmuteMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .mute, context)
        let user = try state.user(userID)
        // Otherwise operators could release each other from what the server imposed.
        try state.checkIsBelow(user.id, in: channel, context)
        let isMuted = channel.mutes.entry(of: user.id, at: context.now) != nil
        return Decision(isMuted ? [.memberUnmuted(channel.id, user.id)] : [])
    }
}

extension ListBanned: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        let channel = try state.operatedChannel(channelID, by: context.caller)
        return try progress(of: channel.bans.active(at: context.now), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let channel = try state.operatedChannel(channelID, by: context.caller)
        return state.sanctions(&progress, in: channel.bans, context).map { Response(bans: $0, next: $1) }
    }
}

extension ListMuted: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        let channel = try state.operatedChannel(channelID, by: context.caller)
        return try progress(of: channel.mutes.active(at: context.now), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let channel = try state.operatedChannel(channelID, by: context.caller)
        return state.sanctions(&progress, in: channel.mutes, context).map { Response(mutes: $0, next: $1) }
    }
}

extension SanctionRequest {
    fileprivate func sanction(
        in channel: ChannelState, earlier: SanctionList, _ state: ChatState, _ context: Context
    ) throws(Rejection) -> Event.Sanctioned {
        try FieldChecks.sanction(seconds, description)
        let user = try state.user(userID)
        try context.checkIsOther(user.id)
        try state.checkIsBelow(user.id, in: channel, context)
        guard earlier.hasRoom(for: user.id, at: context.now) else {
            throw Rejection(.tooMany, "sanctions of the channel: at most \(FieldLimits.sanctionsPerChannel)")
        }
        return Event.Sanctioned(
            channel: channel.id, user: user.id, until: Sanction.end(after: seconds, from: context.now),
            description: description)
    }
}

extension ChatState {
    fileprivate func member(
        _ id: UserID, of channel: ChannelID, _ context: Context
    ) throws(Rejection) -> MemberResponse {
        guard let channel = channels[channel] else { throw Rejection(.notFound, "channel") }
        return MemberResponse(member: view(of: id, in: channel, context))
    }

    /// Returns the next page of bans or mutes, sorted by nickname; `nil` if the slice is over.
    func sanctions(
        _ progress: inout ListProgress<UserID, NameOrder>, in list: SanctionList, _ context: Context
    ) -> (views: [Sanction], next: String?)? {
        guard progress.scan(context, { users[$0].map { NameOrder($0) } }) else { return nil }
        return progress.collector.page(context) { view(of: $0.id, in: list, context) }
    }

    func view(of user: UserID, in list: SanctionList, _ context: Context) -> Sanction? {
        list.entry(of: user, at: context.now).map {
            Sanction(
                user: signature(of: user), until: $0.until, description: $0.description, at: $0.at, by: $0.by)
        }
    }
}
