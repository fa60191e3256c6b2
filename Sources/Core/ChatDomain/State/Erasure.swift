import ChatModel

/// The deletion of a user whose traces are still being replaced (`PR1`).
package struct Erasure: Equatable, Sendable {
    /// What stays of the user names this id instead.
    package var alias: UserID
    /// Whether the user's messages are deleted too.
    package var deletesMessages: Bool

    package init(alias: UserID, deletesMessages: Bool) {
        self.alias = alias
        self.deletesMessages = deletesMessages
    }
}

/// A user who was deleted, without the id.
package struct ErasedUser: Equatable, Sendable {
    /// A hash of the user's id (`UserID.erasureKey`).
    package var key: UInt64
    /// Unique for each deletion: an id may be used, and its user deleted, several times.
    package var alias: UserID
    /// Tokens of the id issued before this second, since 1970, are refused.
    package var before: Int64
    /// Whether the user's messages were deleted too.
    package var deletesMessages: Bool

    package init(key: UInt64, alias: UserID, before: Int64, deletesMessages: Bool) {
        self.key = key
        self.alias = alias
        self.before = before
        self.deletesMessages = deletesMessages
    }
}

extension UserID {
    /// What a list of deleted users keeps of an id: enough to recognize it, but the list names nobody.
    package var erasureKey: UInt64 {
        var hash = StableHash()
        hash.combine(rawValue)
        return hash.value
    }
}

/// All users who were deleted. Changed only by `evolve`; never shrinks, because a token may be valid for years.
struct ErasedUsers {
    private var users = ShardedDictionary<UserID, ErasedUser>()
    /// The second before which tokens of an id are refused, by its key.
    private var seconds = ShardedDictionary<Int, Int64>()

    /// All users who were deleted, sorted by alias.
    var all: some Sequence<ErasedUser> {
        let users = users
        return users.keys.sorted().lazy.compactMap { users[$0] }
    }

    /// Returns the user whom an alias replaces.
    subscript(alias: UserID) -> ErasedUser? { users[alias] }

    /// - Returns: Seconds since 1970; 0 for an id whose user was never deleted.
    func tokensRevokedBefore(_ user: UserID) -> Int64 {
        users.isEmpty ? 0 : seconds[Int(truncatingIfNeeded: user.erasureKey)] ?? 0
    }

    mutating func add(_ user: ErasedUser) {
        users[user.alias] = user
        let key = Int(truncatingIfNeeded: user.key)
        seconds[key] = max(seconds[key] ?? 0, user.before)
    }
}

extension ErasedUser: Weighed {
    package var weight: Int { PieceWeight.text(alias.rawValue) + 3 * PieceWeight.number }
}
