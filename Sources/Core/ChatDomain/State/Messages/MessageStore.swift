import ChatModel

/// The messages of a channel with their threads, reactions and indexes. Changed only by `evolve`.
struct MessageStore {
    /// The messages, ascending by offset. Their `createdAt` ascends too, because time never goes backwards.
    var messages: MessageList
    var readIndex = ReadIndex()
    /// The hashes of the original contents of changed messages that have a client id.
    var sentContents = ShardedDictionary<MessageID, UInt64>()
    var clientIDs: ClientIDIndex
    var threads = ShardedDictionary<MessageID, ThreadState>()
    /// For each user, the places of the parents of threads in which they wrote the parent or a reply (`T6`).
    private(set) var participations = ShardedDictionary<UserID, Places>()
    var reactions = ShardedDictionary<MessageID, MessageReactions>()
    /// `nil` unless the state is sparse.
    let runs: ChannelRuns?

    /// - Parameter shift: The index of the first message in its piece.
    init(_ sources: MessageSources, of channel: ChannelID, shift: Int) {
        messages = MessageList(shift: shift, isSparse: sources.runs != nil)
        clientIDs = ClientIDIndex(sources.hash)
        runs = sources.runs.map { ChannelRuns(source: $0, channel: channel) }
    }

    func message(_ id: MessageID) -> StoredMessage? { messages.place(of: id).map { messages[$0] } }

    /// Returns the place of the message that a user sent with a client id. It may have been removed by retention.
    func place(clientID: String, of sender: UserID?) -> Int? {
        clientIDs.place(of: clientID, by: sender, in: messages)
    }

    func sentContent(of message: MessageID) -> UInt64? { sentContents[message] }
    func isParticipant(_ user: UserID, in parent: MessageID) -> Bool {
        messages.place(of: parent).map { participations[user]?.contains($0) ?? false } ?? false
    }

    func reactions(on message: MessageID) -> MessageReactions? { reactions[message] }

    /// Whether anybody has ever reacted to a message that is kept.
    var hasReactions: Bool { !reactions.isEmpty }

    /// Returns the number of messages from others at or after a place.
    func unreadCount(of user: UserID, from place: Int) -> Int {
        readIndex.unreadCount(from: place) { messages.number(of: user) }
    }

    func unreadMentionCount(of user: UserID, from place: Int) -> Int {
        readIndex.unreadMentionCount(of: user, from: place) { messages.number(of: user) }
    }

    func firstUnread(of user: UserID, from place: Int) -> Int? {
        readIndex.firstUnread(from: place, messages.number(of: user))
    }

    // MARK: evolve

    mutating func append(_ message: StoredMessage) {
        needEnd()
        let index = messages.endIndex
        messages.append(message)
        if let clientID = message.clientID {
            clientIDs.insert(index, clientID, of: message.sender, firstKept: messages.firstKept)
        }
        if messages.isSparse { return }
        if message.appearsInChannel {
            let sender = messages.senderNumber(at: index)
            readIndex.add(index, isReply: message.parent != nil, by: sender)
            readIndex.addMentions(index, message.mentions, by: sender, message.sender)
        }
        if let parent = message.parent {
            addReply(index, to: parent, at: messages.place(of: parent), by: message.sender, message.createdAt)
        }
    }

    mutating func update(_ updated: Event.MessageUpdated, at: Int64) {
        need(updated.id)
        guard let index = messages.place(of: updated.id) else { return }
        let message = messages[index]
        if message.hasClientID, sentContents[message.id] == nil {
            sentContents[message.id] = updated.sentContent ?? message.contentHash
        }
        let sender = messages.senderNumber(at: index)
        if message.appearsInChannel { readIndex.removeMentions(index, message.mentions, by: sender) }
        messages.update(index, updated, at: at)
        if message.appearsInChannel { readIndex.addMentions(index, updated.mentions, by: sender, message.sender) }
    }

    /// - Returns: The reactions removed with the message.
    mutating func delete(_ id: MessageID, at: Int64) -> MessageReactions? {
        need(id)
        guard let index = messages.place(of: id) else { return nil }
        let message = messages[index]
        if message.appearsInChannel {
            readIndex.remove(index, message.mentions, by: messages.senderNumber(at: index))
        }
        messages.delete(index, at: at)
        sentContents[id] = nil
        let gone = reactions.removeValue(forKey: id)
        guard let parent = message.parent, !messages.isSparse else { return gone }
        threads[parent]?.remove(index, by: message.sender) { [messages] in messages.createdAt(at: $0) }
        endParticipations(in: parent, without: message)
        return gone
    }

    /// Removes the messages up to an offset (`PR4`). Replies to them stay, but their threads end.
    mutating func trim(upTo offset: UInt64, keeping clientIDs: KeptClientIDs) {
        need(after: 0, upTo: offset)
        var (senders, mentioned): (Set<UInt32>, Set<UserID>) = ([], [])
        var place = messages.startIndex
        while place < messages.endIndex, messages.offset(at: place) <= offset {
            let message = messages[place]
            senders.insert(messages.senderNumber(at: place))
            mentioned.formUnion(message.mentions?.userIDs ?? [])
            sentContents[message.id] = nil
            reactions[message.id] = nil
            if let parent = message.parent, !message.isDeleted, !messages.isSparse {
                threads[parent]?.remove(place, by: message.sender) { [messages] in messages.createdAt(at: $0) }
                endParticipations(in: parent, without: message)
            }
            endThread(of: message, at: place)
            messages.touch(place)
            place += 1
        }
        readIndex.trim(before: place, senders: senders, mentioned: mentioned)
        messages.trim(before: place, keeping: clientIDs)
    }

    private mutating func endThread(of parent: StoredMessage, at place: Int) {
        guard let thread = threads.removeValue(forKey: parent.id) else { return }
        for index in 0..<thread.replies.count { messages.keepParent(parent.id, of: thread.replies[index]) }
        for replier in thread.repliers { participations.remove(place, of: replier.user) }
        if let author = parent.sender { participations.remove(place, of: author) }
    }

    /// Lets the alias of a deleted user take the user's place in some messages, of which none keeps a client id of the
    /// user (`PR1`).
    ///
    /// - Parameters:
    ///   - range: Places, including those of messages that retention removed.
    ///   - deletes: Whether the user's messages are deleted.
    /// - Returns: The uploads among the files of the messages that stay, and of those deleted.
    mutating func replace(
        _ user: UserID, by alias: UserID, in range: Range<Int>, deletes: Bool, at time: Int64
    ) -> (kept: [FileID], deleted: [FileID]) {
        var files: (kept: [FileID], deleted: [FileID]) = ([], [])
        let number = messages.number(of: user)
        for place in range {
            if messages.isSent(by: number, at: place) {
                if deletes, messages.indices.contains(place), !messages[place].isDeleted {
                    files.deleted += messages[place].uploads
                    _ = delete(messages.id(at: place), at: time)
                }
                let message = messages[place]
                messages.replaceSender(at: place, by: alias, time)
                sentContents[message.id] = nil
                guard messages.indices.contains(place) else { continue }
                files.kept += message.uploads
                replaceAuthor(user, by: alias, of: message, at: place)
            }
            guard messages.indices.contains(place) else { continue }
            replaceMention(of: user, by: alias, at: place)
            let id = messages.id(at: place)
            for key in reactions[id]?.keys ?? [] where key.contains(user) {
                messages.touch(place)
                reactions[id]?.remove(key.key, by: user, at: messages.createdAt(at: place))
            }
        }
        if let number, let other = messages.number(of: alias) {
            readIndex.replaceSender(number, by: other, in: range)
        }
        if range.upperBound == messages.endIndex { messages.forgetSender(user, alias: alias) }
        return files
    }

    private mutating func replaceAuthor(_ user: UserID, by alias: UserID, of message: StoredMessage, at place: Int) {
        if let parent = message.parent, !message.isDeleted, threads[parent] != nil {
            threads[parent]?.replaceAuthor(user, by: alias, of: place)
            if let parent = messages.place(of: parent) { replaceParticipant(user, by: alias, at: parent) }
        }
        replaceParticipant(user, by: alias, at: place)
    }

    /// - Parameter place: The place of a thread's parent, or of a message without a thread.
    private mutating func replaceParticipant(_ user: UserID, by alias: UserID, at place: Int) {
        guard participations[user]?.contains(place) ?? false else { return }
        participations.insert(place, of: alias)
        let replies = threads[messages.id(at: place)]?.replyCount(of: user) ?? 0
        if replies == 0, messages.sender(at: place) != user { participations.remove(place, of: user) }
    }

    private mutating func replaceMention(of user: UserID, by alias: UserID, at place: Int) {
        guard messages.mentions(user, at: place), case .users(let users) = messages[place].mentions else { return }
        messages.setMentions(.users(users.map { $0 == user ? alias : $0 }), at: place)
        readIndex.replaceMention(of: user, by: alias, at: place)
    }

    mutating func update(_ updated: Event.ThreadUpdated) {
        threads.change(updated.parent, default: ThreadState()) { $0.update(updated) }
    }

    mutating func react(to message: MessageID, _ key: String, by user: UserID, offset: UInt64, at: Int64) {
        change(message)
        reactions.change(message, default: MessageReactions()) { $0.add(key, by: user, offset: offset, at: at) }
    }

    mutating func removeReaction(_ key: String, from message: MessageID, by user: UserID, at: Int64) {
        change(message)
        reactions[message]?.remove(key, by: user, at: at)
    }

    /// - Parameter place: The place of the parent, if it is among the messages.
    mutating func addReply(
        _ index: Int, to parent: MessageID, at place: Int?, by sender: UserID?, _ createdAt: Int64
    ) {
        threads.change(parent, default: ThreadState()) { $0.append(index, by: sender, at: createdAt) }
        guard let place else { return }
        if let author = messages.sender(at: place) { participations.insert(place, of: author) }
        if let sender { participations.insert(place, of: sender) }
    }

    private mutating func endParticipations(in parent: MessageID, without reply: StoredMessage) {
        let thread = threads[parent] ?? ThreadState()
        let author = messages.place(of: parent).flatMap { messages.sender(at: $0) }
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
    ///
    /// - Parameter clientIDHash: The hash of the client id, or 0 for none, if the body is in a block.
    func part(_ place: Int, _ limits: PieceLimits, clientIDHash: UInt32?) -> MessagePart {
        let message = messages[place]
        var part = MessagePart(
            id: message.id, offset: message.offset, createdAt: message.createdAt, kind: message.kind, text: "",
            sender: message.sender, clientID: nil, parent: nil, details: nil)
        if let clientIDHash {
            if message.hasClientID { part.clientIDHash = clientIDHash }
        } else {
            part.clientID = message.clientID
        }
        // Of a removed message, only the client id is kept.
        guard messages.indices.contains(place) else { return part }
        part.parent = message.parent
        var details = MessagePart.Details()
        if clientIDHash == nil {
            part.text = message.text
            details.data = message.data
            details.extras = message.extras
        } else {
            details.hasUploads = message.hasUploads
        }
        details.expiresAt = message.expiresAt
        details.replyToChannel = message.replyToChannel
        details.customType = message.customType
        details.mentions = message.mentions
        details.updatedAt = message.updatedAt
        details.deletedAt = message.deletedAt
        details.sentContent = sentContents[message.id]
        if let own = reactions[message.id], own.count <= limits.inlineReactors {
            details.reactions = ReactionsPart(own)
        }
        if details != MessagePart.Details() { part.details = details }
        return part
    }

    /// Returns the hashes of the client ids of messages, in order; 0 for messages without one.
    func clientIDHashes(_ places: Range<Int>) -> [UInt32] { clientIDs.hashes(places) }

    /// - Returns: The blocks with all bodies, in order.
    func store<Failure: Error>(
        in store: HistoryStore<Failure>, of channel: ChannelID
    ) throws(Failure) -> [BlockPart] { try messages.store(in: store, of: channel) }

    /// Adds blocks of messages that follow.
    mutating func load(_ blocks: [BlockPart], of channel: ChannelID, from cache: BlockCache) throws(StatePart.Problem) {
        guard messages.load(blocks, from: cache) else { throw .misplacedBlock(channel) }
    }

    mutating func adopt(_ block: StoredBlock, asOf time: Int64, from cache: BlockCache) {
        messages.adopt(block, asOf: time, from: cache)
    }

    mutating func forgetBodies(upTo time: Int64) { messages.forgetBodies(upTo: time) }
}
