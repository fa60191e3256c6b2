/// The members of a room that use one form, and their batch of this turn.
struct Audience {
    private(set) var members: [(listener: any Listener, visibleFrom: UInt64)] = []
    /// Whole frames in this form.
    var batch: [UInt8] = []
    /// Number of members who do not see the whole history.
    private(set) var restrictedMembers = 0
    /// Number of members that accept compressed frames.
    private(set) var compressedMembers = 0

    mutating func enter(_ listener: any Listener, visibleFrom: UInt64) {
        members.append((listener, visibleFrom))
        if visibleFrom > 0 { restrictedMembers += 1 }
        if listener.takesCompressed { compressedMembers += 1 }
    }

    /// - Returns: The member moved into the freed place; nil when the leaving one was last.
    mutating func leave(_ place: Int) -> (any Listener)? {
        if members[place].visibleFrom > 0 { restrictedMembers -= 1 }
        if members[place].listener.takesCompressed { compressedMembers -= 1 }
        members.swapAt(place, members.count - 1)
        members.removeLast()
        return place < members.count ? members[place].listener : nil
    }

    /// Hides older history from a member; no effect if it already sees no more than that.
    mutating func narrow(_ place: Int, visibleFrom: UInt64) {
        let before = members[place].visibleFrom
        guard visibleFrom > before else { return }
        if before == 0 { restrictedMembers += 1 }
        members[place].visibleFrom = visibleFrom
    }

    mutating func emptyBatch() { batch.removeAll(keepingCapacity: batch.capacity <= 65_536) }
}
