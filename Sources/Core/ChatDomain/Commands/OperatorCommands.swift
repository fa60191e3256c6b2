import ChatModel

extension AddOperators: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, nil, context)
        let named = try people(userIDs, of: channel, in: state)
        // Deactivated users can lose a role, be muted and be banned, but they cannot become operators.
        for id in named {
            if let refusal = state.refusal(of: id) { throw refusal }
            if let refusal = state.guestRefusal(of: id, isPublic: channel.isPublic, as: .operator) { throw refusal }
        }
        let new = named.filter { !channel.operators.contains($0) }
        guard new.isEmpty || channel.operators.count + new.count <= FieldLimits.operatorsPerChannel else {
            throw Rejection(.tooMany, "operators: at most \(FieldLimits.operatorsPerChannel)")
        }
        return Decision(new.map { .operatorAdded(channel.id, $0) })
    }
}

extension RemoveOperators: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, nil, context)
        let former = try people(userIDs, of: channel, in: state).filter { channel.operators.contains($0) }
        return Decision(former.map { .operatorRemoved(channel.id, $0) })
    }
}

extension RemoveAllOperators: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, nil, context)
        return Decision(channel.operators.sorted().map { .operatorRemoved(channel.id, $0) })
    }
}

extension ListOperators: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        try progress(of: Array(try state.joinedChannel(channelID, by: context.caller).operators), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        guard progress.scan(context, { state.users[$0].map { NameOrder($0) } }) else { return nil }
        let page = progress.collector.page(context) { state.view(of: $0.id, in: channel, context) }
        return Response(operators: page.views, next: page.next)
    }
}

extension FreezeChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .freeze, context)
        return Decision(channel.isFrozen ? [] : [.channelFrozen(channel.id)])
    }
}

extension UnfreezeChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .freeze, context)
        return Decision(channel.isFrozen ? [.channelUnfrozen(channel.id)] : [])
    }
}

/// Returns the named users without duplicates. All of them must be joined or invited.
private func people(_ ids: [UserID], of channel: ChannelState, in state: ChatState) throws(Rejection) -> [UserID] {
    try FieldChecks.ids(ids, "user_ids")
    guard !ids.isEmpty else { throw Rejection(.invalidValue, "user_ids: must not be empty") }
    let people = ids.uniqued()
    for id in people {
        _ = try state.user(id)
        guard channel.members[id] != nil || channel.invitations[id] != nil else {
            throw Rejection(.notAMember, "user \(id)")
        }
    }
    return people
}

extension Change where Self: PeopleRequest {
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> MembersResponse {
        try state.members(userIDs, of: channelID, context)
    }
}

extension PeoplePageRequest {
    func progress(
        of people: [UserID], _ context: Context
    ) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(channelID.rawValue)
        return ListProgress(people, try PageCollector(limit: limit, next: next, filterHash: hash.value), context)
    }
}

extension ChatState {
    fileprivate func members(
        _ ids: [UserID], of channel: ChannelID, _ context: Context
    ) throws(Rejection) -> MembersResponse {
        guard let channel = channels[channel] else { throw Rejection(.notFound, "channel") }
        return MembersResponse(members: ids.uniqued().map { view(of: $0, in: channel, context) })
    }
}
