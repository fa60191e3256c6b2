import ChatModel

extension ListMembers: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        try FieldChecks.name(nicknamePrefix, "nickname_prefix", atMost: FieldLimits.nicknameCodePoints)
        return ListProgress(
            people(of: channel), try PageCollector(limit: limit, next: next, filterHash: filterHash), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let prefix = nicknamePrefix?.lowercased() ?? ""
        let isDone = progress.scan(context, lookups: muted == nil ? 3 : 4) { id in
            context.work.charge(prefix.utf8.count / WorkCost.comparedBytes)
            return place(of: id, in: channel, state, prefix: prefix, at: context.now)
        }
        guard isDone else { return nil }
        let page = progress.collector.page(context) { state.view(of: $0.id, in: channel, context) }
        return Response(members: page.views, next: page.next)
    }

    /// - Returns: `nil` for a user who does not match the filters or is no longer a member.
    private func place(
        of id: UserID, in channel: ChannelState, _ state: ChatState, prefix: String, at now: Int64
    ) -> NameOrder? {
        guard let user = state.users[id], channel.includes(id), ByteOrder.isPrefix(prefix, of: user.foldedNickname)
        else { return nil }
        let isOperator = channel.operators.contains(id)
        if isOperator, operatorFilter == .nonOperator { return nil }
        if let muted, muted != (channel.mutes.entry(of: id, at: now) != nil) { return nil }
        return NameOrder(user, group: order == .operatorThenNickname && !isOperator ? 1 : 0)
    }

    private func people(of channel: ChannelState) -> [UserID] {
        if operatorFilter == .operator { return Array(channel.operators) }
        var people = channel.members.ids
        people.append(contentsOf: channel.invitations.keys)
        return people
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
