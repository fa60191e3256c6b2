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

extension SearchUsers: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        guard context.caller == .server || context.settings.userSearch else {
            throw Rejection(.featureDisabled, "user search (chat.user_search)")
        }
        guard !query.isEmpty else { throw Rejection(.invalidValue, "query: must not be empty") }
        try FieldChecks.name(query, "query", atMost: FieldLimits.nicknameCodePoints)
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(query)
        return ListProgress(
            state.users.keys, try PageCollector(limit: limit, next: next, filterHash: hash.value), context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> UsersResponse? {
        let prefix = query.lowercased()
        let isDone = progress.scan(context) { id in
            context.work.charge(prefix.utf8.count / WorkCost.comparedBytes)
            guard let user = state.users[id], user.isActive,
                ByteOrder.isPrefix(prefix, of: user.foldedNickname) || ByteOrder.areEqual(id.rawValue, query),
                state.blockRefusal(of: id, by: context.caller.user) == nil
            else { return nil }
            return NameOrder(user)
        }
        return isDone ? state.response(of: progress.collector, context) : nil
    }
}

extension ChatState {
    fileprivate func response(of collector: PageCollector<NameOrder>, _ context: Context) -> UsersResponse {
        let page = collector.page(context) { place in self.users[place.id].map { self.view(of: $0, context) } }
        return UsersResponse(users: page.views, next: page.next)
    }
}
