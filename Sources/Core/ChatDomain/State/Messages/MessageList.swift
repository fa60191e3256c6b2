import ChatModel

/// Which client ids of removed messages are kept.
enum KeptClientIDs {
    case all
    /// From a time on, in milliseconds since 1970.
    case since(Int64)
    /// From an offset on.
    case from(UInt64)
}

/// The messages of a channel by place, and their places by id.
///
/// Places ascend by offset, and stay when older messages are removed. Of these, the list keeps the client ids for a
/// while.
struct MessageList: RandomAccessCollection {
    private var entries: EntryPieces
    /// The place of the first message that was not removed.
    private(set) var startIndex = 0
    private(set) var endIndex = 0
    /// The first place whose client id is kept; not after `startIndex`.
    private(set) var firstKept = 0
    private var senders = NumberedUsers()
    private var facts = ShardedDictionary<Int, MessageFacts>()
    /// The bodies of the messages, in full slots followed by one that may have space left.
    var slots: [BodySlot] = []
    /// The index of the message at place 0 in the first piece, and in the slots of that. When a channel is loaded, its
    /// places begin at 0 again, but runs and blocks on disk stay as they are.
    let shift: Int
    /// What replaces bodies that are on disk only, except their client ids.
    var changes = ShardedDictionary<Int, MessageBody>()
    /// The places by id; `nil` as long as ids ascend, because a binary search then finds the place.
    private var placesByID: ShardedDictionary<MessageID, Int>?

    /// - Parameters:
    ///   - shift: The index of the first message in its piece.
    ///   - isSparse: Whether messages are found in runs on disk (`RunSource`). Parents are then kept by id, and ids have no
    ///     index.
    init(shift: Int = 0, isSparse: Bool = false) {
        self.shift = Swift.max(0, Swift.min(shift, EntryPieces.capacity - 1))
        entries = EntryPieces(first: self.shift, isSparse: isSparse)
        slots = Array(repeating: BodySlot(), count: location(of: 0).block)
    }

    var isSparse: Bool { entries.isSparse }

    var indices: Range<Int> { startIndex..<endIndex }
    /// The messages, and those of which only the client id is kept.
    var keptIndices: Range<Int> { firstKept..<endIndex }
    var keptCount: Int { endIndex - firstKept }

    subscript(place: Int) -> StoredMessage {
        let entry = entry(at: place)
        let facts = facts(of: entry, at: place)
        var parent = facts.missingParent
        if parent == nil, let place = entry.parentPlace { parent = id(at: place) }
        let (slot, index) = location(of: place)
        let content = slots[slot].content(index, change: changes.isEmpty ? nil : changes[place])
        return StoredMessage(entry, sender: senders[entry.sender], parent: parent, facts, content)
    }

    func location(of place: Int) -> (block: Int, index: Int) { BodyBlock.location(of: place + shift) }

    private func entry(at place: Int) -> MessageEntry { entries[place + shift] }

    private func facts(of entry: MessageEntry, at place: Int) -> MessageFacts {
        entry.flags.contains(.hasFacts) ? facts[place] ?? .none : .none
    }

    /// The messages that are removed at some time, in no particular order.
    var expiring: some Sequence<(id: MessageID, expiresAt: Int64)> {
        facts.lazy.compactMap { place, facts in
            guard let time = facts.expiresAt, facts.deletedAt == nil, place >= startIndex else { return nil }
            return (id(at: place), time)
        }
    }

    func id(at place: Int) -> MessageID { entry(at: place).id }
    func offset(at place: Int) -> UInt64 { entry(at: place).offset }
    func createdAt(at place: Int) -> Int64 {
        let entry = entry(at: place)
        return entry.createdAt ?? facts(of: entry, at: place).createdAt ?? 0
    }
    func sender(at place: Int) -> UserID? { senders[entry(at: place).sender] }

    /// Returns whether a user sent the message at a place with a client id.
    func has(_ clientID: String, of sender: UserID?, at place: Int) -> Bool {
        guard place >= firstKept else { return false }
        let entry = entry(at: place)
        let (slot, index) = location(of: place)
        return entry.flags.contains(.hasClientID) && entry.sender == senders.number(of: sender)
            && slots[slot].hasClientID(clientID, index)
    }

    /// Returns the number by which a sender's messages are found, if the user has sent any.
    func number(of sender: UserID) -> UInt32? { senders.number(of: sender) }
    func senderNumber(at place: Int) -> UInt32 { entry(at: place).sender }
    func isSent(by number: UInt32?, at place: Int) -> Bool { entry(at: place).sender == number }
    func mentions(_ user: UserID, at place: Int) -> Bool {
        guard place >= startIndex, case .users(let users) = facts(of: entry(at: place), at: place).mentions else {
            return false
        }
        return users.contains(user)
    }

    /// Gives a message another sender, without a client id.
    ///
    /// - Parameter time: The current time, in milliseconds since 1970.
    mutating func replaceSender(at place: Int, by sender: UserID, _ time: Int64) {
        let number = senders.insert(sender)
        entries.change(place + shift) { $0.sender = number }
        setFlag(.hasClientID, place, false)
        let (slot, index) = location(of: place)
        slots[slot].dropClientID(index, at: time)
    }

    mutating func setMentions(_ mentions: Mentions?, at place: Int) { changeFacts(place) { $0.mentions = mentions } }

    /// Forgets a deleted user, of whom no message is left.
    mutating func forgetSender(_ user: UserID, alias: UserID) { senders.forget(user, alias: alias) }

    mutating func append(_ message: StoredMessage) {
        let entry = newEntry(message)
        append(entry, message.facts(with: entry))
        if !isOnDisk(endIndex - 1) { appendBody(message.body) }
    }

    /// Adds a message. Its body follows, unless that is on disk.
    mutating func append(_ entry: MessageEntry, _ facts: MessageFacts?) {
        let place = endIndex
        let ascends = isSparse || place == firstKept || id(at: place - 1) < entry.id
        entries.append(with(facts, entry, at: place), number: place + shift)
        endIndex += 1
        if placesByID != nil {
            _ = placesByID?.updateValue(place, forKey: entry.id)
        } else if !ascends {
            indexAll()
        }
    }

    func isOnDisk(_ place: Int) -> Bool {
        let (slot, index) = location(of: place)
        return slot < slots.count && slots[slot].isOnDisk(index)
    }

    /// Adds the body of the last message.
    mutating func appendBody(_ body: MessageBody) {
        let (slot, index) = location(of: endIndex - 1)
        if slot == slots.count { slots.append(BodySlot()) }
        slots[slot].append(body, at: index)
    }

    private mutating func newEntry(_ message: StoredMessage) -> MessageEntry {
        let parent = isSparse ? nil : message.parent.flatMap { self.place(of: $0) }
        return MessageEntry(message, sender: senders.insert(message.sender), parent: parent)
    }

    /// Stores the facts of a new message.
    private mutating func with(_ facts: MessageFacts?, _ entry: MessageEntry, at place: Int) -> MessageEntry {
        guard let facts else { return entry }
        _ = self.facts.updateValue(facts, forKey: place)
        var entry = entry
        entry.flags.insert(.hasFacts)
        return entry
    }

    /// Returns the number of a sender, who gets one if needed.
    mutating func number(ofNew sender: UserID) -> UInt32 { senders.insert(sender) }

    /// Replaces the content of a message.
    mutating func update(_ place: Int, _ updated: Event.MessageUpdated, at: Int64) {
        changeFacts(place) { facts in
            facts.customType = updated.customType
            facts.mentions = updated.mentions
            facts.updatedAt = at
        }
        setFlag(.hasUploads, place, updated.extras?.hasUploads ?? false)
        let body = MessageBody(text: updated.text, data: updated.data, extras: updated.extras?.nilIfEmpty)
        changeBody(place, body, at: at)
    }

    private mutating func changeBody(_ place: Int, _ body: MessageBody, at time: Int64) {
        let (slot, index) = location(of: place)
        slots[slot].update(index, text: body.text, data: body.data, extras: body.extras, at: time)
        if slots[slot].isOnDisk(index) { changes[place] = body }
    }

    private mutating func setFlag(_ flag: MessageEntry.Flags, _ place: Int, _ isSet: Bool) {
        entries.change(place + shift) { entry in
            if isSet { entry.flags.insert(flag) } else { entry.flags.remove(flag) }
        }
    }

    /// Removes the content of a message, which keeps its place, sender and client id.
    mutating func delete(_ place: Int, at: Int64) {
        let parent = self[place].parent
        changeFacts(place) { facts in
            // No thread lists it any more, so the id would be lost when the parent is removed.
            facts.missingParent = parent
            facts.delete(at: at)
        }
        setFlag(.isDeleted, place, true)
        setFlag(.hasUploads, place, false)
        changeBody(place, MessageBody(), at: at)
    }

    /// Notes the parent of a reply before the parent is removed.
    mutating func keepParent(_ parent: MessageID, of reply: Int) {
        changeFacts(reply) { $0.missingParent = parent }
    }

    /// Removes the messages before a place. Their client ids are kept for a while.
    ///
    /// - Parameter clientIDs: Of the removed messages.
    mutating func trim(before place: Int, keeping clientIDs: KeptClientIDs) {
        let removed = startIndex..<Swift.min(Swift.max(place, startIndex), endIndex)
        for place in removed {
            if entry(at: place).flags.contains(.hasFacts) { facts[place] = nil }
            if !changes.isEmpty { changes[place] = nil }
            let id = id(at: place)
            placesByID?[id] = nil
        }
        startIndex = removed.upperBound
        release(keeping: clientIDs)
    }

    /// Returns the place from which client ids of removed messages have to be kept: that of the first one since a time.
    ///
    /// - Parameter end: The place before which messages are removed.
    func firstClientID(since time: Int64, before end: Int) -> Int {
        var place = firstKept
        while place < end, createdAt(at: place) < time || !entry(at: place).flags.contains(.hasClientID) { place += 1 }
        return place
    }

    /// Frees the memory of removed messages. The last message stays: it tells where in its piece and its block the next one
    /// belongs.
    private mutating func release(keeping clientIDs: KeptClientIDs) {
        let start = firstKept
        while firstKept < Swift.min(startIndex, endIndex - 1), !keeps(clientIDs, at: firstKept) { firstKept += 1 }
        guard firstKept > start else { return }
        entries.touch(firstKept + shift)
        entries.release(start + shift..<firstKept + shift)
        for slot in location(of: start).block..<location(of: firstKept).block { slots[slot] = BodySlot() }
    }

    private func keeps(_ clientIDs: KeptClientIDs, at place: Int) -> Bool {
        switch clientIDs {
        case .all: true
        case .since(let time): createdAt(at: place) >= time
        case .from(let offset): entry(at: place).offset >= offset
        }
    }

    private mutating func changeFacts(_ place: Int, _ change: (inout MessageFacts) -> Void) {
        facts.change(place, default: .none, change)
        setFlag(.hasFacts, place, true)
    }

    private mutating func indexAll() {
        var places = ShardedDictionary<MessageID, Int>()
        for place in indices { _ = places.updateValue(place, forKey: id(at: place)) }
        placesByID = places
    }

    /// Returns the place of a message in O(log n), and faster for new messages, which most commands are about.
    func place(of id: MessageID) -> Int? {
        if placesByID != nil { return placesByID?[id] }
        if isSparse { return sparsePlace(of: id) }
        // The place is in `low..<high`. The range before `count` doubles until it contains the id.
        var (low, high, step) = (startIndex, endIndex, 1)
        while step <= count {
            let place = endIndex - step
            if self.id(at: place) <= id {
                low = place
                break
            }
            high = place
            step *= 2
        }
        while low < high {
            let middle = low + (high - low) / 2
            let found = self.id(at: middle)
            if found == id { return middle }
            if found < id { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

// Runs on disk. Pieces and their messages are as in `EntryPieces`.
extension MessageList {
    /// The numbers of the pieces of the messages that are kept.
    var pieceNumbers: Range<Int> { keptCount == 0 ? 0..<0 : piece(of: firstKept)..<piece(of: endIndex - 1) + 1 }

    func piece(of place: Int) -> Int { EntryPieces.location(of: place + shift).piece }

    /// The places in a piece whose messages are kept.
    func places(inPiece piece: Int) -> Range<Int> {
        let start = piece * EntryPieces.capacity - shift
        return Swift.max(start, firstKept)..<Swift.min(start + EntryPieces.capacity, endIndex)
    }

    func isLoaded(piece: Int) -> Bool { entries.isLoaded(piece) }

    /// The run with the messages of a piece in their present form; `nil` if there is none.
    func run(ofPiece piece: Int) -> RunPart? { entries.run(piece) }

    /// The offset of the last message of a piece.
    func lastOffset(ofPiece piece: Int) -> UInt64? { entries.lastOffset(piece) }

    /// Notes that something beside the list belongs to a message and changes, so that the message is written again.
    mutating func touch(_ place: Int) { entries.touch(place + shift) }

    /// Adds a run of messages that follow.
    ///
    /// - Returns: False if it does not fit.
    mutating func append(_ run: RunPart) -> Bool {
        guard entries.append(run, number: endIndex + shift) else { return false }
        endIndex += run.count
        return true
    }

    /// Adds a message that was read from the run of a piece.
    mutating func load(_ message: StoredMessage, at place: Int, piece: Int) {
        let entry = newEntry(message)
        entries.load(with(message.facts(with: entry), entry, at: place), piece: piece)
    }

    /// Returns the pieces that may contain a message.
    func pieces(with id: MessageID) -> [Int] { pieceNumbers.filter { entries.mayContain(id, piece: $0) } }

    /// Returns the place of a message in memory. Recent messages are found first, which most records are about.
    private func sparsePlace(of id: MessageID) -> Int? {
        for piece in pieceNumbers.reversed() where entries.mayContain(id, piece: piece) {
            if let number = entries.number(of: id, piece: piece) {
                return number - shift >= startIndex ? number - shift : nil
            }
        }
        return nil
    }
}
