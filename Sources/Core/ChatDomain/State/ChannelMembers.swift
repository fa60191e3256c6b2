import ChatModel

/// The members of a channel, in no particular order.
///
/// When a channel becomes private, its guests lose their membership immediately, but later turns announce their
/// departures. Until then they are *departing*: still in `all`, but no longer found by lookups.
struct ChannelMembers: Collection {
    typealias State = ChannelState.MemberState
    typealias Index = ShardedDictionary<UserID, State>.Index

    /// All members, including departing guests.
    private(set) var all = ShardedDictionary<UserID, State>()
    private(set) var guestCount = 0
    /// Whether guests can be members, which only public channels allow.
    var includesGuests: Bool

    init(includesGuests: Bool) { self.includesGuests = includesGuests }

    var departingCount: Int { includesGuests ? 0 : guestCount }
    var count: Int { all.count - departingCount }
    var ids: [UserID] { departingCount > 0 ? all.keys.filter { !$0.isGuest } : all.keys }

    subscript(user: UserID) -> State? {
        get { isDeparting(user) ? nil : all[user] }
        _modify { yield &all[user] }
    }

    /// Returns the first guests by id, including departing ones.
    func guests(atMost limit: Int) -> [UserID] {
        guard guestCount > 0 else { return [] }
        return all.lazy.map(\.key).filter(\.isGuest).least(limit) { $0 < $1 }
    }

    /// Returns the earliest members, in the order of joining.
    ///
    /// - Parameter range: The room offsets at which they joined.
    func earliest(_ limit: Int, in range: Range<UInt64>) -> [(user: UserID, joinOffset: UInt64)] {
        // Sort indices: copying ids and members would cost more than the rest of the pass.
        let hidesGuests = departingCount > 0
        return all.indices.lazy.map { (index: $0, joinOffset: all.value(at: $0).joinOffset) }
            .filter { range.contains($0.joinOffset) && !(hidesGuests && all[$0.index].key.isGuest) }
            .least(limit) { $0.joinOffset < $1.joinOffset }
            .map { (all[$0.index].key, $0.joinOffset) }
    }

    mutating func insert(_ state: State, for user: UserID) {
        if all.updateValue(state, forKey: user) == nil, user.isGuest { guestCount += 1 }
    }

    /// Names the alias of a deleted user as the inviter.
    mutating func replaceInviter(_ user: UserID, by alias: UserID) {
        for invited in all.filter({ $0.value.invitedBy == user }).map(\.key) { all[invited]?.invitedBy = alias }
    }

    mutating func remove(_ user: UserID) {
        if all.removeValue(forKey: user) != nil, user.isGuest { guestCount -= 1 }
    }

    private func isDeparting(_ user: UserID) -> Bool { departingCount > 0 && user.isGuest }

    // MARK: Collection

    var startIndex: Index { visible(all.startIndex) }
    var endIndex: Index { all.endIndex }
    func index(after index: Index) -> Index { visible(all.index(after: index)) }
    subscript(index: Index) -> (key: UserID, value: State) { all[index] }

    private func visible(_ start: Index) -> Index {
        guard departingCount > 0 else { return start }
        var index = start
        while index != all.endIndex, all[index].key.isGuest { all.formIndex(after: &index) }
        return index
    }
}
