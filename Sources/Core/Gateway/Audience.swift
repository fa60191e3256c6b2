/// The members of a room that use one form, and their batch of this turn.
struct Audience {
    private(set) var members: [(listener: any Listener, visibleFrom: UInt64)] = []
    /// Whole frames in this form.
    var batch: [UInt8] = []
    /// Number of members who do not see the whole history.
    private(set) var restrictedMembers = 0
    /// Number of members that accept compressed frames.
    private(set) var compressedMembers = 0

    mutating func append(_ listener: any Listener, visibleFrom: UInt64) {
        members.append((listener, visibleFrom))
        if visibleFrom > 0 { restrictedMembers += 1 }
        if listener.acceptsCompressed { compressedMembers += 1 }
    }

    /// - Returns: The member moved to the freed index; nil when the removed one was last.
    mutating func remove(at index: Int) -> (any Listener)? {
        if members[index].visibleFrom > 0 { restrictedMembers -= 1 }
        if members[index].listener.acceptsCompressed { compressedMembers -= 1 }
        members.swapAt(index, members.count - 1)
        members.removeLast()
        return index < members.count ? members[index].listener : nil
    }

    /// Hides older history from a member; no effect if it already sees no more than that.
    mutating func narrow(at index: Int, visibleFrom: UInt64) {
        let before = members[index].visibleFrom
        guard visibleFrom > before else { return }
        if before == 0 { restrictedMembers += 1 }
        members[index].visibleFrom = visibleFrom
    }

    mutating func clearBatch() { batch.removeAll(keepingCapacity: batch.capacity <= 65_536) }
}
