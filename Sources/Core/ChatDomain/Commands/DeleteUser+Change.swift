import ChatModel

extension DeleteUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        if let refusal = state.erasureRefusal(of: userID) { throw refusal }
        _ = try state.user(userID)
        let erased = ErasedUser(
            key: userID.erasureKey, alias: .deleted(context.freshID.low), before: context.now / 1_000 + 1,
            deletesMessages: deleteMessages ?? false)
        return Decision([.userDeleted(Event.UserDeleted(id: userID, erased: erased))])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UserResponse {
        guard let alias = state.users[userID]?.erasure?.alias else { throw Rejection(.internal) }
        return UserResponse(user: User(id: alias, nickname: ""))
    }
}

extension ChatState {
    /// Returns why an id cannot be used just now: its user is still being deleted.
    ///
    /// - Returns: 111, because that takes a moment only; `nil` for every other id.
    func erasureRefusal(of user: UserID) -> Rejection? {
        guard users[user]?.erasure != nil else { return nil }
        return Rejection(
            .tooManyRequests, "user \(user) is being deleted", retryAfterMilliseconds: Self.erasureRetryMilliseconds)
    }

    private static let erasureRetryMilliseconds: Int64 = 1_000

    /// Returns the events that repeat deletions in a chat restored from an older backup.
    ///
    /// - Returns: Nothing for those that the chat knows of.
    package func repeating(_ known: [ErasedUser]) -> [Event] {
        let missing = missing(known)
        guard !missing.isEmpty else { return [] }
        let keys = Set(missing.map(\.key))
        var ids: [UInt64: UserID] = [:]
        for id in users.keys where keys.contains(id.erasureKey) && knows(id) { ids[id.erasureKey] = id }
        return missing.map { .userDeleted(Event.UserDeleted(id: ids.removeValue(forKey: $0.key), erased: $0)) }
    }

    /// Returns the deletions that the chat does not know of.
    package func missing(_ known: [ErasedUser]) -> [ErasedUser] { known.filter { erased[$0.alias] == nil } }

    /// All users who were deleted, sorted by alias.
    package var erasedUsers: [ErasedUser] { Array(erased.all) }

    /// Whether some user's traces are still being replaced.
    package var isErasing: Bool { !beingErased.isEmpty }

    /// Returns the alias of a user whose traces are still being replaced.
    package func alias(ofErased user: UserID) -> UserID? { users[user]?.erasure?.alias }

    /// The users whose traces are still being replaced, by alias.
    package var unfinishedErasures: [UserID: UserID] {
        var users: [UserID: UserID] = [:]
        for id in beingErased { if let alias = self.users[id]?.erasure?.alias { users[alias] = id } }
        return users
    }

    /// The users whose traces are still being replaced, sorted by id.
    package var usersBeingErased: [UserID] { beingErased.sorted() }
}
