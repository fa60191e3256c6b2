import ChatModel
import WireProtocol

extension AddOperators: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        let named = try people(userIDs, of: channel, in: state)
        // Taking a role away, muting and banning are still done to someone deactivated; giving them power is not.
        for id in named {
            if let refusal = state.refusal(of: id) { throw refusal }
            if let refusal = state.guestRefusal(of: id, isPublic: channel.isPublic, as: .operator) { throw refusal }
        }
        let new = named.filter { !channel.operators.contains($0) }
        guard channel.operators.count + new.count <= FieldLimits.operatorsPerChannel else {
            throw Rejection(.tooMany, "operators: \(FieldLimits.operatorsPerChannel)")
        }
        return Decision(new.map { .operatorAdded(channel.id, $0) })
    }
}

extension RemoveOperators: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        let former = try people(userIDs, of: channel, in: state).filter { channel.operators.contains($0) }
        return Decision(former.map { .operatorRemoved(channel.id, $0) })
    }
}

extension RemoveAllOperators: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        return Decision(channel.operators.sorted().map { .operatorRemoved(channel.id, $0) })
    }
}

extension ListOperators: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let page = try page(of: channel.operators, in: state)
        return Response(
            operators: page.places.map { state.view(of: $0.id, in: channel, context) }, next: page.next)
    }
}

extension FreezeChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        return Decision(channel.isFrozen ? [] : [.channelFrozen(channel.id)])
    }
}

extension UnfreezeChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, context)
        return Decision(channel.isFrozen ? [.channelUnfrozen(channel.id)] : [])
    }
}

/// Everyone named, once; joined or invited.
private func people(_ ids: [UserID], of channel: ChannelState, in state: ChatState) throws(Rejection) -> [UserID] {
    try FieldChecks.ids(ids, "user_ids")
    guard !ids.isEmpty else { throw Rejection(.invalidValue, "user_ids: empty") }
    let people = ids.withoutRepetition()
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
    /// The page that is asked for, by nickname.
    func page(
        of people: some Sequence<UserID>, in state: ChatState
    ) throws(Rejection) -> (places: [NameOrder], next: String?) {
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(channelID.rawValue)
        let places = people.lazy.compactMap { state.users[$0].map { NameOrder($0) } }
        return try NameOrder.page(of: places, limit: limit, next: next, filterHash: hash.value)
    }
}

extension ChatState {
    fileprivate func members(
        _ ids: [UserID], of channel: ChannelID, _ context: Context
    ) throws(Rejection) -> MembersResponse {
        guard let channel = channels[channel] else { throw Rejection(.notFound, "channel") }
        return MembersResponse(members: ids.withoutRepetition().map { view(of: $0, in: channel, context) })
    }
}
