import ChatModel

/// The messages of a channel with their threads, reactions and indexes. Changed only by `evolve`.
struct MessageStore {
    /// The messages, ascending by offset. Their `createdAt` ascends too, because time never goes backwards.
    private(set) var messages = MessageList()
    private(set) var readIndex = ReadIndex()
    /// The hashes of the original contents of changed messages that have a client id.
    private var sentContents = ShardedDictionary<MessageID, UInt64>()
    private var clientIDs = ClientIDIndex()
    private(set) var threads = ShardedDictionary<MessageID, ThreadState>()
    /// For each user, the places of the parents of threads in which they wrote the parent or a reply (`T6`).
    private(set) var participations = ShardedDictionary<UserID, Places>()
    private var reactions = ShardedDictionary<MessageID, MessageReactions>()

    func message(_ id: MessageID) -> StoredMessage? { messages.place(of: id).map { messages[$0] } }

    func message(clientID: String, of sender: UserID?) -> StoredMessage? {
        clientIDs.place(of: clientID, by: sender, in: messages).map { messages[$0] }
    }

    func sentContent(of message: MessageID) -> UInt64? { sentContents[message] }
    func isParticipant(_ user: UserID, in parent: MessageID) -> Bool {
        messages.place(of: parent).map { participations[user]?.contains($0) ?? false } ?? false
    }

    func reactions(on message: MessageID) -> MessageReactions? { reactions[message] }

    // MARK: evolve

    mutating func append(_ message: StoredMessage) {
        let index = record(message)
        if message.appearsInChannel { readIndex.add(index, message) }
        if let parent = message.parent { addReply(index, to: parent, message) }
    }

    private mutating func record(_ message: StoredMessage) -> Int {
        let index = messages.count
        messages.append(message)
        clientIDs.insert(index, in: messages)
        return index
    }

    mutating func update(_ updated: Event.MessageUpdated, at: Int64) {
        guard let index = messages.place(of: updated.id) else { return }
        let message = messages[index]
        if message.clientID != nil, sentContents[message.id] == nil {
            sentContents[message.id] = updated.sentContent ?? message.contentHash
        }
        if message.appearsInChannel { readIndex.removeMentions(index, message) }
        messages[index].update(updated, at: at)
        if message.appearsInChannel { readIndex.addMentions(index, messages[index]) }
    }

    /// - Returns: The reactions removed with the message.
    mutating func delete(_ id: MessageID, at: Int64) -> MessageReactions? {
        guard let index = messages.place(of: id) else { return nil }
        if messages[index].appearsInChannel { readIndex.remove(index, messages[index]) }
        messages[index].delete(at: at)
        sentContents[id] = nil
        let gone = reactions.removeValue(forKey: id)
        guard let parent = messages[index].parent else { return gone }
        threads[parent]?.remove(index, by: messages[index].sender) { [messages] in messages[$0].createdAt }
        endParticipations(in: parent, without: messages[index])
        return gone
    }

    mutating func update(_ updated: Event.ThreadUpdated) {
        threads.change(updated.parent, default: ThreadState()) { $0.update(updated) }
    }

    mutating func react(to message: MessageID, _ key: String, by user: UserID, offset: UInt64, at: Int64) {
        reactions.change(message, default: MessageReactions()) { $0.add(key, by: user, offset: offset, at: at) }
    }

    mutating func removeReaction(_ key: String, from message: MessageID, by user: UserID, at: Int64) {
        reactions[message]?.remove(key, by: user, at: at)
    }

    private mutating func addReply(_ index: Int, to parent: MessageID, _ reply: StoredMessage) {
        threads.change(parent, default: ThreadState()) { $0.append(index, by: reply.sender, at: reply.createdAt) }
        guard let place = messages.place(of: parent) else { return }
        if let author = messages[place].sender { participations.insert(place, of: author) }
        if let sender = reply.sender { participations.insert(place, of: sender) }
    }

    private mutating func endParticipations(in parent: MessageID, without reply: StoredMessage) {
        let thread = threads[parent] ?? ThreadState()
        let author = message(parent)?.sender
        if thread.replies.isEmpty, let author { removeParticipation(in: parent, of: author) }
        guard let sender = reply.sender, sender != author, thread.replyCount(of: sender) == 0 else { return }
        removeParticipation(in: parent, of: sender)
    }

    private mutating func removeParticipation(in parent: MessageID, of user: UserID) {
        if let place = messages.place(of: parent) { participations.remove(place, of: user) }
    }
}

// MARK: pieces
extension MessageStore {
    /// The threads with a title or data, by parent; built one at a time.
    var threadParts: some Sequence<ThreadPart> {
        let threads = threads
        return threads.filter { $0.value.title != nil || $0.value.data != nil }.map(\.key).sorted().lazy.compactMap {
            parent in
            threads[parent].map { ThreadPart(parent: parent, title: $0.title, data: $0.data) }
        }
    }

    mutating func update(_ part: ThreadPart) {
        threads.change(part.parent, default: ThreadState()) { $0.update(part) }
    }

    /// Reserves space for messages to load, because growing step by step would move them several times.
    ///
    /// - Parameter count: The number of messages. Capped at the size of a large channel, because it comes from a file.
    mutating func reserve(_ count: Int) {
        let count = min(max(0, count), 1_000_000)
        clientIDs.reserve(count)
    }

    /// Returns a message for a snapshot, without its reactions if there are too many to share a piece with other
    /// messages.
    func part(_ place: Int, _ limits: PieceLimits) -> MessagePart {
        let message = messages[place]
        var details = MessagePart.Details()
        details.replyToChannel = message.replyToChannel
        details.customType = message.customType
        details.data = message.data
        details.mentions = message.mentions
        details.extras = message.extras
        details.updatedAt = message.updatedAt
        details.deletedAt = message.deletedAt
        details.sentContent = sentContents[message.id]
        if let own = reactions[message.id], own.count <= limits.inlineReactors {
            details.reactions = ReactionsPart(own)
        }
        return MessagePart(
            id: message.id, offset: message.offset, createdAt: message.createdAt, kind: message.kind,
            text: message.text, sender: message.sender, clientID: message.clientID,
            parent: message.parent.flatMap { messages.place(of: $0) },
            details: details == MessagePart.Details() ? nil : details)
    }

    mutating func load(_ part: MessagePart) throws(StatePart.Problem) {
        let last = messages.last?.offset ?? 0
        guard part.offset > last, part.parent.map(messages.indices.contains) ?? true else { throw .misplaced(part.id) }
        guard messages.place(of: part.id) == nil else { throw .repeated("message \(part.id)") }
        let message = StoredMessage(part, parent: part.parent.map { messages[$0].id })
        let index = record(message)
        if let hash = part.details?.sentContent { sentContents[part.id] = hash }
        if let part = part.details?.reactions {
            reactions.change(message.id, default: MessageReactions()) { $0.load(part) }
        }
        if !message.isDeleted, message.appearsInChannel { readIndex.add(index, message) }
        guard let parent = message.parent else { return }
        if message.isDeleted {
            threads[parent] = threads[parent] ?? ThreadState()
        } else {
            addReply(index, to: parent, message)
        }
    }

    /// - Returns: Whether there is such a message.
    mutating func load(_ part: ReactionsPart, at place: Int) -> Bool {
        guard messages.indices.contains(place) else { return false }
        reactions.change(messages[place].id, default: MessageReactions()) { $0.load(part) }
        return true
    }
}
