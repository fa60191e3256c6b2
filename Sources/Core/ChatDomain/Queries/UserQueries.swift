import ChatModel

extension ListUsers: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        try FieldChecks.ids(userIDs, "user_ids")
        guard !userIDs.isEmpty else { throw Rejection(.invalidValue, "user_ids: must not be empty") }
        var hash = StableHash()
        hash.combine(Self.method)
        for id in userIDs { hash.combine(id.rawValue) }
        return ListProgress(
            userIDs.uniqued(), try PageCollector(limit: limit, next: next, filterHash: hash.value), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> UsersResponse? {
        guard progress.scan(context, { state.users[$0].flatMap { $0.erasure == nil ? NameOrder($0) : nil } }) else {
            return nil
        }
        return state.response(of: progress.collector, context)
    }
}

extension ListAllUsers: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        try FieldChecks.name(nicknamePrefix, "nickname_prefix", atMost: FieldLimits.nicknameCodePoints)
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(nicknamePrefix)
        return ListProgress(
            state.users.keys, try PageCollector(limit: limit, next: next, filterHash: hash.value), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> UsersResponse? {
        let prefix = nicknamePrefix?.lowercased() ?? ""
        let isDone = progress.scan(context) { id in
            context.work.charge(prefix.utf8.count / WorkCost.comparedBytes)
            return state.users[id].flatMap {
                $0.erasure == nil && ByteOrder.isPrefix(prefix, of: $0.foldedNickname) ? NameOrder($0) : nil
            }
        }
        return isDone ? state.response(of: progress.collector, context) : nil
    }
}

extension ChatState {
    fileprivate func response(of collector: PageCollector<NameOrder>, _ context: Context) -> UsersResponse {
        let page = collector.page(context) { self.users[$0.id]?.view(context.presence) }
        return UsersResponse(users: page.views, next: page.next)
    }
}
