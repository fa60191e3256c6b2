/// Those members of a room who hear it in one form, and what they are to hear with the end of the turn.
struct Audience {
    private(set) var members: [(listener: any Listener, visibleFrom: UInt64)] = []
    /// Whole frames of this form.
    var batch: [UInt8] = []
    /// How many members do not see the whole history.
    private(set) var restrictedMembers = 0
    /// How many members take compressed frames.
    private(set) var compressedMembers = 0

    mutating func enter(_ listener: any Listener, visibleFrom: UInt64) {
        members.append((listener, visibleFrom))
        if visibleFrom > 0 { restrictedMembers += 1 }
        if listener.takesCompressed { compressedMembers += 1 }
    }

    /// - Returns: The member who has taken the place of the one that left; nil when it was the last one.
    mutating func leave(_ place: Int) -> (any Listener)? {
        if members[place].visibleFrom > 0 { restrictedMembers -= 1 }
        if members[place].listener.takesCompressed { compressedMembers -= 1 }
        members.swapAt(place, members.count - 1)
        members.removeLast()
        return place < members.count ? members[place].listener : nil
    }

    /// Has no effect for a member who sees as little already.
    mutating func narrow(_ place: Int, visibleFrom: UInt64) {
        let before = members[place].visibleFrom
        guard visibleFrom > before else { return }
        if before == 0 { restrictedMembers += 1 }
        members[place].visibleFrom = visibleFrom
    }

    mutating func emptyBatch() { batch.removeAll(keepingCapacity: batch.capacity <= 65_536) }
}
