import ChatModel

/// The members of a channel, in no particular order.
///
/// Guests of a channel that becomes private stop being members at once, but their departures are announced in later
/// turns. Until then they are *departing*: counted by `departingCount` and listed in `all`, but not found otherwise.
struct ChannelMembers: Collection {
    typealias State = ChannelState.MemberState
    typealias Index = ShardedDictionary<UserID, State>.Index

    /// Including departing guests.
    private(set) var all = ShardedDictionary<UserID, State>()
    /// The number of guests in `all`.
    private(set) var guestCount = 0
    /// Whether guests may be members, which they may in public channels only.
    var includesGuests: Bool

    init(includesGuests: Bool) { self.includesGuests = includesGuests }

    var departingCount: Int { includesGuests ? 0 : guestCount }
    var count: Int { all.count - departingCount }
    var ids: [UserID] { departingCount > 0 ? all.keys.filter { !$0.isGuest } : all.keys }

    subscript(user: UserID) -> State? {
        get { isDeparting(user) ? nil : all[user] }
        _modify { yield &all[user] }
    }

    /// The first guests by id, departing ones too.
    func guests(atMost limit: Int) -> [UserID] {
        guard guestCount > 0 else { return [] }
        return all.lazy.map(\.key).filter(\.isGuest).least(limit) { $0 < $1 }
    }

    /// The earliest members, in the order in which they joined.
    ///
    /// - Parameter range: The room offsets at which they joined.
    func earliest(_ limit: Int, in range: Range<UInt64>) -> [(user: UserID, joinOffset: UInt64)] {
        // Sorts indices, because copying ids and members costs more than the rest of the pass.
        let hidesGuests = departingCount > 0
        return all.indices.lazy.map { (index: $0, joinOffset: all.value(at: $0).joinOffset) }
            .filter { range.contains($0.joinOffset) && !(hidesGuests && all[$0.index].key.isGuest) }
            .least(limit) { $0.joinOffset < $1.joinOffset }
            .map { (all[$0.index].key, $0.joinOffset) }
    }

    mutating func insert(_ state: State, for user: UserID) {
        if all.updateValue(state, forKey: user) == nil, user.isGuest { guestCount += 1 }
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
