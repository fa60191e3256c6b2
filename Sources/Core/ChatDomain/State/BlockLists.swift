import ChatModel

/// Whom each user has blocked (`MO1`).
struct BlockLists {
    /// The blocked users with the times in milliseconds since 1970; no entry for a user who blocks nobody.
    private var lists = ShardedDictionary<UserID, [UserID: Int64]>()
    /// Projection: who blocks a user; no entry for a user whom nobody blocks.
    private var blockers = ShardedDictionary<UserID, Set<UserID>>()

    /// Returns whether a user has blocked another one.
    func has(_ user: UserID, blocked other: UserID) -> Bool {
        guard !lists.isEmpty else { return false }
        return lists[user]?[other] != nil
    }

    /// Returns whether anybody has blocked a user.
    func isBlocked(_ user: UserID) -> Bool { !blockers.isEmpty && blockers[user] != nil }

    /// Returns whom a user has blocked, with the times.
    func list(of user: UserID) -> [UserID: Int64] { lists.isEmpty ? [:] : lists[user] ?? [:] }

    /// All blocks, sorted; built one at a time.
    var parts: some Sequence<BlockListPart> {
        let lists = lists
        return lists.keys.sorted().lazy.flatMap { user in
            (lists[user] ?? [:]).sorted { $0.key < $1.key }.map {
                BlockListPart(user: user, blocked: $0.key, at: $0.value)
            }
        }
    }

    /// The keys of all blocks for an export, in no particular order: both ids, in hexadecimal.
    var pairs: some Sequence<String> {
        let lists = lists
        return lists.keys.lazy.flatMap { user in
            (lists[user] ?? [:]).keys.lazy.map { hexadecimal(user.rawValue) + "." + hexadecimal($0.rawValue) }
        }
    }

    /// Returns the block with a key; `nil` if it has ended.
    func part(_ key: String) -> BlockListPart? {
        let ids = key.split(separator: ".").compactMap { decodeHexadecimal($0).flatMap(UserID.init) }
        guard ids.count == 2, let at = lists[ids[0]]?[ids[1]] else { return nil }
        return BlockListPart(user: ids[0], blocked: ids[1], at: at)
    }

    // MARK: evolve

    mutating func apply(_ record: Record) {
        switch record.event {
        case .userBlocked(let other, let user): block(other, by: user, at: record.at)
        case .userUnblocked(let other, let user): unblock(other, by: user)
        default: break
        }
    }

    mutating func block(_ other: UserID, by user: UserID, at time: Int64) {
        lists.change(user, default: [:]) { $0[other] = time }
        blockers.change(other, default: []) { $0.insert(user) }
    }

    mutating func unblock(_ other: UserID, by user: UserID) {
        if lists[user]?.count ?? 0 > 1 {
            lists[user]?[other] = nil
        } else if has(user, blocked: other) {
            lists[user] = nil
        }
        if blockers[other]?.count ?? 0 > 1 { blockers[other]?.remove(user) } else { blockers[other] = nil }
    }

    /// Removes a user who no longer exists, from their own list and those of others.
    mutating func forget(_ user: UserID) {
        for other in list(of: user).keys { unblock(other, by: user) }
        for blocker in blockers[user] ?? [] { unblock(user, by: blocker) }
    }
}

extension ChatState {
    /// Removes a user who no longer exists from sanctions of the app and block lists.
    func forgetSanctions(of user: UserID) {
        moderation.forget(user)
        if let alias = users[user]?.erasure?.alias { moderation.log.replace(user, by: alias) }
        blockLists.forget(user)
    }

    /// Returns the other user of a distinct channel of two; `nil` for other channels.
    private func partner(of user: UserID, in channel: ChannelState) -> UserID? {
        guard let members = channel.distinctKey?.members, members.count == 2 else { return nil }
        return members.first { $0 != user }
    }

    /// Checks that an act of the user in a distinct channel of two is not refused by a block of the other one.
    func checkUnblocked(_ user: UserID, in channel: ChannelState) throws(Rejection) {
        guard blockLists.isBlocked(user), let partner = partner(of: user, in: channel),
            blockLists.has(partner, blocked: user)
        else { return }
        throw Rejection(.blocked)
    }

    /// Returns why the caller cannot add a user to a channel: 1052 if the user has blocked them.
    func blockRefusal(of user: UserID, by caller: UserID?) -> Rejection? {
        guard let caller, blockLists.has(user, blocked: caller) else { return nil }
        return Rejection(.blocked, "user \(user)")
    }

    /// Returns a user as the caller sees them: without presence, if the user has blocked the caller.
    func view(of user: UserState, _ context: Context) -> User {
        guard let caller = context.caller.user, blockLists.has(user.id, blocked: caller) else {
            return user.view(context.presence)
        }
        var view = user.view
        view.online = false
        return view
    }
}
