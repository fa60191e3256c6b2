import ChatModel

/// Where a compaction stores the messages of a state.
package struct HistoryStore<Failure: Error> {
    /// Stores bodies in a new block.
    let store: ([MessageBody]) throws(Failure) -> BlockReference
    /// Whether a block or run may stay where it is.
    let keeps: (BlockReference) -> Bool
    /// Receives each block, new or not.
    let stored: (_ block: StoredBlock, _ isNew: Bool) -> Void
    /// Stores a new run: messages without bodies, and their reactions.
    let storeRun: ([StatePart]) throws(Failure) -> BlockReference

    package init(
        store: @escaping ([MessageBody]) throws(Failure) -> BlockReference,
        keeps: @escaping (BlockReference) -> Bool, stored: @escaping (_ block: StoredBlock, _ isNew: Bool) -> Void,
        storeRun: @escaping ([StatePart]) throws(Failure) -> BlockReference
    ) {
        self.store = store
        self.keeps = keeps
        self.stored = stored
        self.storeRun = storeRun
    }
}

/// A block of a snapshot, which a state in memory may use from then on.
package struct StoredBlock: Equatable, Sendable {
    package let channel: ChannelID
    /// Always with its last message.
    package let part: BlockPart
}

// The bodies on disk.
extension MessageList {
    /// The numbers of the slots of the messages that are kept.
    private var slotNumbers: Range<Int> {
        keptCount == 0 ? 0..<0 : location(of: firstKept).block..<location(of: endIndex - 1).block + 1
    }

    /// The shift of the list after it was stored and loaded.
    var nextShift: Int { keptCount == 0 ? 0 : EntryPieces.location(of: firstKept + shift).index }

    /// The places in a slot whose messages are kept.
    private func places(in slot: Int) -> Range<Int> {
        let start = slot * BodyBlock.capacity - shift
        return Swift.max(start, firstKept)..<Swift.min(start + BodyBlock.capacity, endIndex)
    }

    /// The blocks on disk.
    func blocks(of channel: ChannelID) -> [StoredBlock] {
        slotNumbers.compactMap { number in
            guard let stored = slots[number].stored else { return nil }
            return StoredBlock(channel: channel, part: ended(stored.part, number))
        }
    }

    /// Adds the last message to a block of a slot.
    private func ended(_ part: BlockPart, _ slot: Int) -> BlockPart {
        guard part.last == nil else { return part }
        let last = Swift.min(slot * BodyBlock.capacity - shift + part.count, endIndex) - 1
        return BlockPart(
            reference: part.reference, count: part.count, last: BlockEnd(id: id(at: last), offset: offset(at: last)))
    }

    /// Stores all bodies that are not on disk in their present form.
    ///
    /// - Returns: All blocks, in order.
    func store<Failure: Error>(
        in store: HistoryStore<Failure>, of channel: ChannelID
    ) throws(Failure) -> [BlockPart] {
        var parts: [BlockPart] = []
        for number in slotNumbers {
            let places = places(in: number)
            let current = currentBlock(number, store.keeps)
            var part = if let current { current } else { try storeNew(number, places, in: store) }
            part = ended(part, number)
            parts.append(part)
            store.stored(StoredBlock(channel: channel, part: part), current == nil)
        }
        return parts
    }

    private func storeNew<Failure: Error>(
        _ number: Int, _ places: Range<Int>, in store: HistoryStore<Failure>
    ) throws(Failure) -> BlockPart {
        if let stored = slots[number].stored, !isLoaded(piece: piece(of: places.lowerBound)) {
            // Nothing of the piece has changed, but the file is given up.
            let bodies = stored.cache.block(stored.reference)?.bodies
            var part = stored.part
            part.reference = try store.store(bodies ?? Array(repeating: MessageBody(), count: part.count))
            return part
        }
        let first = location(of: places.lowerBound).index
        let removed = Array(repeating: MessageBody(), count: first)
        return BlockPart(reference: try store.store(removed + places.map(body)), count: first + places.count)
    }

    /// The body of a message in its present form. Of a removed one, only the client id is left.
    private func body(_ place: Int) -> MessageBody {
        let message = self[place]
        return place < startIndex ? MessageBody(clientID: message.clientID) : message.body
    }

    /// Returns the block of a slot, if it has all bodies in their present form, and nothing that was removed.
    private func currentBlock(_ number: Int, _ keeps: (BlockReference) -> Bool) -> BlockPart? {
        let places = places(in: number)
        let count = location(of: places.upperBound - 1).index + 1
        guard let stored = slots[number].stored, !slots[number].isStale, stored.count == count,
            keeps(stored.reference), changes.isEmpty || !places.contains(where: { changes[$0] != nil })
        else { return nil }
        let part = stored.part
        // Nothing of this slot was removed.
        if places.lowerBound >= startIndex, location(of: places.lowerBound).index == 0 { return part }
        guard let block = stored.cache.block(stored.reference) else { return part }
        let first = location(of: places.lowerBound).index
        let isClear =
            (0..<first).allSatisfy { block.isEmpty($0) }
            && places.filter { $0 < startIndex }.allSatisfy { block.hasNoContent(location(of: $0).index) }
        return isClear ? part : nil
    }

    /// Adds blocks of messages that follow.
    ///
    /// - Returns: False if their bodies do not fit together.
    mutating func load(_ parts: [BlockPart], from cache: BlockCache) -> Bool {
        for part in parts {
            guard part.count > 0, part.count <= BodyBlock.capacity, endIndex == 0,
                slots.count == location(of: 0).block || slots.last?.count == BodyBlock.capacity
            else { return false }
            slots.append(BodySlot(BodySlot.Stored(part: part, cache: cache)))
        }
        return true
    }

    /// Uses a block that a compaction has written.
    ///
    /// - Parameter time: The time of the state in that the compaction found the bodies.
    mutating func adopt(_ block: StoredBlock, asOf time: Int64, from cache: BlockCache) {
        guard let last = block.part.last, let place = keptPlace(ofOffset: last.offset), id(at: place) == last.id else {
            return
        }
        let (number, index) = location(of: place)
        guard index == block.part.count - 1 else { return }
        let stored = BodySlot.Stored(part: block.part, cache: cache)
        let places = places(in: number).prefix(through: place)
        if slots[number].isUnchanged(since: time) {
            slots[number].adopt(stored, isCurrent: true)
            if !changes.isEmpty { for place in places { changes[place] = nil } }
        } else if slots[number].isOnDisk(0) {
            for place in places where !slots[number].isOnDisk(location(of: place).index) {
                changes[place] = self[place].bodyContent
            }
            slots[number].adopt(stored, isCurrent: false)
        } else {
            // The block before may be gone soon, and this one is not current.
            slots[number].forgetBlock()
        }
    }

    private func keptPlace(ofOffset offset: UInt64) -> Int? {
        var (low, high) = (firstKept, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self.offset(at: middle) < offset { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self.offset(at: low) == offset ? low : nil
    }

    /// The memory of all bodies in bytes.
    var bodySize: Int { slotNumbers.reduce(0) { $0 + slots[$1].size } }

    /// Passes the size and the time of each slot whose bodies are also on disk.
    func visitForgettable(_ body: (_ size: Int, _ time: Int64) -> Void) {
        for number in slotNumbers where slots[number].sizeToForget > 0 {
            body(slots[number].sizeToForget, createdAt(at: places(in: number).upperBound - 1))
        }
    }

    /// Frees the memory of bodies that are also on disk.
    ///
    /// - Parameter time: Only bodies of messages up to this time.
    mutating func forgetBodies(upTo time: Int64) {
        for number in slotNumbers
        where slots[number].sizeToForget > 0 && createdAt(at: places(in: number).upperBound - 1) <= time {
            slots[number].forget()
        }
    }
}
