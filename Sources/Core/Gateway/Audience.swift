/// The members of a room that use the same wire format, and their batch for the current turn.
struct Audience {
    private(set) var members: [(listener: any Listener, visibleFrom: UInt64)] = []
    /// The batched events as whole frames.
    var batch: [UInt8] = []
    /// The number of members with a limited visible history.
    private(set) var restrictedMembers = 0
    private(set) var compressedMembers = 0

    mutating func append(_ listener: any Listener, visibleFrom: UInt64) {
        members.append((listener, visibleFrom))
        if visibleFrom > 0 { restrictedMembers += 1 }
        if listener.acceptsCompression { compressedMembers += 1 }
    }

    /// - Returns: The member moved to the freed index; nil if the removed member was the last.
    mutating func remove(at index: Int) -> (any Listener)? {
        if members[index].visibleFrom > 0 { restrictedMembers -= 1 }
        if members[index].listener.acceptsCompression { compressedMembers -= 1 }
        members.swapAt(index, members.count - 1)
        members.removeLast()
        return index < members.count ? members[index].listener : nil
    }

    /// Hides history before `visibleFrom` from a member. Never reveals more history.
    mutating func narrow(at index: Int, visibleFrom: UInt64) {
        let before = members[index].visibleFrom
        guard visibleFrom > before else { return }
        if before == 0 { restrictedMembers += 1 }
        members[index].visibleFrom = visibleFrom
    }

    mutating func clearBatch() { batch.removeAll(keepingCapacity: batch.capacity <= 65_536) }
}
