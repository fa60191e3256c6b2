import ChatModel

// The channel as stored in a snapshot.
extension ChannelState {
    /// The channel without its lists.
    var head: ChannelPart {
        ChannelPart(
            channel: Event.ChannelCreated(
                id: id, epoch: epoch, name: name, isPublic: isPublic, isSuper: isSuper, isEphemeral: isEphemeral,
                distinctKey: distinctKey, coverURL: coverURL, data: data, customType: customType, metadata: metadata,
                creator: createdBy, creatorRole: .operator),
            createdAt: createdAt, isFrozen: isFrozen, top: top, invitations: [], bans: [], mutes: [], threads: [],
            messageCount: messages.keptCount, messageSeconds: messageSeconds, slowModeSeconds: slowMode?.seconds,
            retention: retention,
            firstOffset: firstOffset)
    }

    func setSentContent(_ hash: UInt64, of message: MessageID) { store.sentContents[message] = hash }

    /// Passes the runs on disk.
    func visitRuns(_ body: (RunPart) -> Void) {
        for piece in messages.pieceNumbers { if let run = messages.run(ofPiece: piece) { body(run) } }
    }

    func memberPart(of user: UserID, _ limits: PieceLimits) -> MemberPart? {
        members.all[user].map { member in
            var part = MemberPart(user, member, marks: member.threadMarks.count <= limits.inlineMarks)
            part.hidden = hiddenState(of: user, member)
            part.needsUnhideNotice = part.hidden != member.hidden
            return part
        }
    }

    func load(_ messages: MessageColumns) throws(StatePart.Problem) {
        // Offsets ascend.
        if let id = messages.ids.last, let offset = messages.offsets.last, offset > top { throw .misplaced(id) }
        try store.load(messages, firstOffset: firstOffset ?? 0)
    }

    func load(_ reactions: ReactionsPart, at place: Int) throws(StatePart.Problem) {
        guard store.load(reactions, at: place) else { throw .misplacedReactions(id, place: place) }
    }

    func load(_ blocks: [BlockPart], from cache: BlockCache) throws(StatePart.Problem) {
        try store.load(blocks, of: id, from: cache)
    }

    func load(_ runs: [RunPart], first: Int) throws(StatePart.Problem) {
        guard first == messages.keptCount, runs.last?.lastOffset ?? 0 <= top else { throw .misplacedRun(id) }
        try store.load(runs, of: id, firstOffset: firstOffset ?? 0)
    }

    /// Stores all bodies that are not on disk, and returns all blocks.
    func storeBodies<Failure: Error>(in history: HistoryStore<Failure>) throws(Failure) -> [BlockPart] {
        try store.store(in: history, of: id)
    }

    /// Stores the messages that are not on disk.
    ///
    /// - Returns: All runs, and the places of the messages that are in none.
    func storeRuns<Failure: Error>(
        in history: HistoryStore<Failure>, _ limits: PieceLimits
    ) throws(Failure) -> (runs: [RunPart], rest: Range<Int>) { try store.storeRuns(in: history, of: id, limits) }

    func largeReactions<Failure: Error>(
        _ places: Range<Int>, _ limits: PieceLimits, _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) { try store.largeReactions(places, of: id, from: messages.firstKept, limits, body) }

    func adopt(_ block: StoredBlock, asOf time: Int64, from cache: BlockCache) {
        store.adopt(block, asOf: time, from: cache)
    }

    func forgetBodies(upTo time: Int64) { store.forgetBodies(upTo: time) }
    func clientIDHashes(_ places: Range<Int>) -> [UInt32] { store.clientIDHashes(places) }

    func messagePart(_ place: Int, _ limits: PieceLimits, clientIDHash: UInt32? = nil) -> MessagePart {
        store.part(place, limits, clientIDHash: clientIDHash)
    }
}
