import ChatModel
import WireProtocol

extension ListMembers: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        try FieldChecks.name(nicknamePrefix, "nickname_prefix", atMost: FieldLimits.nicknameCodePoints)
        let page = try NameOrder.page(
            of: places(in: channel, state, at: context.now), limit: limit, next: next, filterHash: filterHash)
        return Response(
            members: page.places.map { state.view(of: $0.id, in: channel, context) }, next: page.next)
    }

    /// Everyone who matches, in no order.
    private func places(in channel: ChannelState, _ state: ChatState, at now: Int64) -> some Sequence<NameOrder> {
        let prefix = nicknamePrefix.map { Array($0.lowercased().utf8) } ?? []
        let putsOperatorsFirst = order == .operatorThenNickname
        return people(of: channel).lazy.compactMap { id in
            guard let user = state.users[id], user.foldedNickname.utf8.starts(with: prefix) else { return nil }
            let isOperator = channel.operators.contains(id)
            if isOperator, operatorFilter == .nonOperator { return nil }
            if let muted, muted != (channel.mutes.entry(of: id, at: now) != nil) { return nil }
            return NameOrder(user, group: putsOperatorsFirst && !isOperator ? 1 : 0)
        }
    }

    private func people(of channel: ChannelState) -> [UserID] {
        if operatorFilter == .operator { return Array(channel.operators) }
        return Array(channel.members.keys) + Array(channel.invitations.keys)
    }

    private var filterHash: UInt64 {
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(channelID.rawValue)
        hash.combine((order ?? .nickname).rawValue)
        hash.combine((operatorFilter ?? .all).rawValue)
        hash.combine(muted?.description)
        hash.combine(nicknamePrefix)
        return hash.value
    }
}
