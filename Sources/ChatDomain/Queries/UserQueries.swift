import ChatModel
import WireProtocol

extension ListUsers: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UsersResponse {
        try FieldChecks.ids(userIDs, "user_ids")
        guard !userIDs.isEmpty else { throw Rejection(.invalidValue, "user_ids: empty") }
        var hash = StableHash()
        hash.combine(Self.method)
        for id in userIDs { hash.combine(id.rawValue) }
        let users = userIDs.withoutRepetition().lazy.compactMap { state.users[$0] }
        return try state.page(of: users, limit: limit, next: next, filterHash: hash.value, context)
    }
}

extension ListAllUsers: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UsersResponse {
        try FieldChecks.name(nicknamePrefix, "nickname_prefix", atMost: FieldLimits.nicknameCodePoints)
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(nicknamePrefix)
        let prefix = nicknamePrefix.map { Array($0.lowercased().utf8) } ?? []
        let users = state.users.values.lazy.filter { $0.foldedNickname.utf8.starts(with: prefix) }
        return try state.page(of: users, limit: limit, next: next, filterHash: hash.value, context)
    }
}

extension ChatState {
    fileprivate func page(
        of users: some Sequence<UserState>, limit: Int?, next: String?, filterHash: UInt64, _ context: Context
    ) throws(Rejection) -> UsersResponse {
        let page = try NameOrder.page(
            of: users.lazy.map { NameOrder($0) }, limit: limit, next: next, filterHash: filterHash)
        let views = page.places.compactMap { self.users[$0.id]?.view(context.presence) }
        return UsersResponse(users: views, next: page.next)
    }
}
