import ChatModel

// Messages and reactions from the pieces of a snapshot.
extension MessageStore {
    /// Adds messages that follow.
    ///
    /// - Parameter firstOffset: Of messages before it, only the client ids are kept.
    mutating func load(_ columns: MessageColumns, firstOffset: UInt64) throws(StatePart.Problem) {
        let numbers = columns.names.map { messages.number(ofNew: $0) }
        var (parents, details) = (ItemReader(), ItemReader())
        for index in columns.indices {
            let (place, name) = (messages.endIndex, Int(columns.senders[index]) - 1)
            let parent = try self.parent(parents.item(of: index, in: columns.parents), columns, index)
            let item = details.item(of: index, in: columns.details)
            let number = name < 0 ? 0 : numbers[name]
            let entry = try append(columns, index, sender: number, parent, item)
            if entry.offset < firstOffset {
                messages.trim(before: messages.endIndex, keeping: .all)
                continue
            }
            if let item { load(columns.details[item].value, of: entry.id) }
            if messages.isSparse { continue }
            if entry.isShown {
                readIndex.add(place, isReply: parent != nil, by: number)
                if let item, let mentions = columns.details[item].value.mentions {
                    readIndex.addMentions(place, mentions, by: number, name < 0 ? nil : columns.names[name])
                }
            }
            guard let parent, let parentPlace = entry.parentPlace else { continue }
            if entry.flags.contains(.isDeleted) {
                threads[parent] = threads[parent] ?? ThreadState()
            } else {
                let sender = name < 0 ? nil : columns.names[name]
                addReply(place, to: parent, at: parentPlace, by: sender, columns.times[index])
            }
        }
    }

    /// Returns the parent of a message to load.
    private func parent(
        _ item: Int?, _ columns: MessageColumns, _ index: Int
    ) throws(StatePart.Problem) -> MessageID? {
        guard !columns.parentPlaces.isEmpty, let place = columns.parentPlaces[index] else {
            return item.map { columns.parents[$0].value }
        }
        guard messages.indices.contains(place) else { throw .misplaced(columns.ids[index]) }
        return messages.id(at: place)
    }

    /// - Parameters:
    ///   - sender: The number of the sender.
    ///   - item: Where the details of the message are, if it has any.
    private mutating func append(
        _ columns: MessageColumns, _ index: Int, sender: UInt32, _ parent: MessageID?, _ item: Int?
    ) throws(StatePart.Problem) -> MessageEntry {
        let (place, id) = (messages.endIndex, columns.ids[index])
        let last = messages.keptCount == 0 ? 0 : messages.offset(at: place - 1)
        guard columns.offsets[index] > last else { throw .misplaced(id) }
        guard messages.isSparse || messages.place(of: id) == nil else { throw .repeated("message \(id)") }
        let hash = columns.clientIDHashes.isEmpty ? nil : columns.clientIDHashes[index]
        let clientID = columns.clientIDs.isEmpty ? nil : columns.clientIDs[index]
        var entry = MessageEntry(
            id: id, offset: columns.offsets[index], createdAt: columns.times[index], sender: sender,
            parent: messages.isSparse ? nil : parent.flatMap { messages.place(of: $0) },
            kind: columns.kinds.isEmpty ? .text : columns.kinds[index])
        var facts: MessageFacts?
        if item != nil || entry.createdAt == nil || parent != nil && entry.parentPlace == nil {
            let details = item.map { columns.details[$0].value }
            entry.flags = MessageEntry.Flags(details, isReply: parent != nil)
            facts = MessageFacts(details).stored(with: entry, parent: parent, createdAt: columns.times[index])
        } else {
            entry.flags = MessageEntry.Flags(nil, isReply: parent != nil)
        }
        if hash != nil || clientID != nil { entry.flags.insert(.hasClientID) }
        messages.append(entry, facts)
        if !messages.isOnDisk(place) { messages.appendBody(body(columns, index, clientID, item)) }
        if let hash {
            clientIDs.insert(place, hash: hash, firstKept: messages.firstKept)
        } else if let clientID {
            clientIDs.insert(place, clientID, of: messages.sender(at: place), firstKept: messages.firstKept)
        }
        return entry
    }

    private func body(_ columns: MessageColumns, _ index: Int, _ clientID: String?, _ item: Int?) -> MessageBody {
        let details = item.map { columns.details[$0].value }
        return MessageBody(
            text: columns.texts.isEmpty ? "" : columns.texts[index], clientID: clientID, data: details?.data,
            extras: details?.extras)
    }

    /// Adds what the list does not have of a message.
    private mutating func load(_ details: MessagePart.Details, of id: MessageID) {
        if let hash = details.sentContent { sentContents[id] = hash }
        if let reactions = details.reactions { load(reactions, of: id) }
    }

    /// - Returns: Whether there is such a message.
    mutating func load(_ part: ReactionsPart, at place: Int) -> Bool {
        guard messages.indices.contains(place) else { return false }
        load(part, of: messages.id(at: place))
        return true
    }

    mutating func load(_ part: ReactionsPart, of message: MessageID) {
        reactions.change(message, default: MessageReactions()) { $0.load(part) }
    }

    /// Adds a message that was read from the run of a piece.
    mutating func load(_ part: MessagePart, at place: Int, piece: Int) {
        messages.load(StoredMessage(part, parent: part.parent), at: place, piece: piece)
        if let hash = part.clientIDHash { clientIDs.insert(place, hash: hash, firstKept: messages.firstKept) }
        if let details = part.details { load(details, of: part.id) }
    }
}
