import ChatModel

extension BanMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        let sanction = try sanction(in: channel, earlier: channel.bans, state, context)
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
        let channel = try state.governedChannel(channelID, context)
        return Decision([.memberMuted(try sanction(in: channel, earlier: channel.mutes, state, context))])
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

extension UnbanMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        let user = try state.user(userID)
        let isBanned = channel.bans.entry(of: user.id, at: context.now) != nil
        return Decision(isBanned ? [.memberUnbanned(channel.id, user.id)] : [])
    }
}

extension UnmuteMember: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        let user = try state.user(userID)
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
        guard progress.scan(context, { state.users[$0].map { NameOrder($0) } }) else { return nil }
        let page = progress.collector.page(context) { state.view(of: $0.id, in: channel.bans, context) }
        return Response(bans: page.views, next: page.next)
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
        guard progress.scan(context, { state.users[$0].map { NameOrder($0) } }) else { return nil }
        let page = progress.collector.page(context) { state.view(of: $0.id, in: channel.mutes, context) }
        return Response(mutes: page.views, next: page.next)
    }
}

extension SanctionRequest {
    fileprivate func sanction(
        in channel: ChannelState, earlier: SanctionList, _ state: ChatState, _ context: Context
    ) throws(Rejection) -> Event.Sanctioned {
        try FieldChecks.bytes(description, "description", atMost: FieldLimits.descriptionBytes)
        if let seconds, !FieldLimits.sanctionSeconds.contains(seconds) {
            throw Rejection(.invalidValue, "seconds: must be 1 to \(FieldLimits.sanctionSeconds.upperBound)")
        }
        let user = try state.user(userID)
        guard user.id != context.caller.user else { throw Rejection(.invalidValue, "user_id: must not be the caller") }
        guard
            channel.members[user.id] != nil || channel.invitations[user.id] != nil
                || earlier.entry(of: user.id, at: context.now) != nil
        else { throw Rejection(.notAMember, "user \(user.id)") }
        guard earlier.hasRoom(for: user.id, at: context.now) else {
            throw Rejection(.tooMany, "sanctions of the channel: at most \(FieldLimits.sanctionsPerChannel)")
        }
        return Event.Sanctioned(
            channel: channel.id, user: user.id, until: seconds.map { context.now + $0 * 1_000 } ?? Sanction.endless,
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

    fileprivate func view(of user: UserID, in list: SanctionList, _ context: Context) -> Sanction? {
        list.entry(of: user, at: context.now).map {
            Sanction(
                user: signature(of: user), until: $0.until, description: $0.description, at: $0.at, by: $0.by)
        }
    }
}
