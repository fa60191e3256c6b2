import ChatModel

extension BlockUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let other = try state.user(userID)
        try context.checkIsOther(other.id)
        guard !state.blockLists.has(user.id, blocked: other.id) else { return Decision([]) }
        guard state.blockLists.list(of: user.id).count < FieldLimits.blockedUsers else {
            throw Rejection(.tooMany, "blocked users: at most \(FieldLimits.blockedUsers)")
        }
        return Decision([.userBlocked(other.id, by: user.id)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        Response(block: BlockChange(user: state.signature(of: userID), isBlocked: true))
    }
}

extension UnblockUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let other = try state.user(userID)
        let isBlocked = state.blockLists.has(user.id, blocked: other.id)
        return Decision(isBlocked ? [.userUnblocked(other.id, by: user.id)] : [])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        Response(block: BlockChange(user: state.signature(of: userID), isBlocked: false))
    }
}

extension ListBlocked: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        let user = try state.actingUser(context)
        var hash = StableHash()
        hash.combine(Self.method)
        return ListProgress(
            Array(state.blockLists.list(of: user.id).keys),
            try PageCollector(limit: limit, next: next, filterHash: hash.value), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let user = try state.actingUser(context)
        guard progress.scan(context, { state.users[$0].map { NameOrder($0) } }) else { return nil }
        let times = state.blockLists.list(of: user.id)
        let page = progress.collector.page(context) { place in
            times[place.id].map { BlockedUser(user: state.signature(of: place.id), at: $0) }
        }
        return Response(blocked: page.views, next: page.next)
    }
}
