import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct BodiesOnDiskTests {
    /// Does one thing at random to the messages of a channel.
    private static func act(
        _ chat: inout Chat, _ random: inout SeededGenerator, _ step: Int, _ parents: inout [MessageID]
    ) throws {
        let user = random.pick([ann, bob])
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            guard let id = parents.randomElement(using: &random) else { return }
            _ = try? chat.run(DeleteMessage(channelID: general, messageID: id), as: .server)
        case 1, 2:
            guard let id = parents.randomElement(using: &random) else { return }
            let text = "edited \(step)"
            _ = try? chat.run(UpdateMessage(channelID: general, messageID: id, text: text), as: .server)
        // After a day, the client ids of removed messages are forgotten, and with them the messages.
        case 3: chat.pass(seconds: random.chance(percent: 20) ? 100_000 : 1)
        default:
            var send = SendMessage(channelID: general, text: "text \(step)")
            if random.chance(percent: 50) { send.clientID = "client \(step)" }
            if random.chance(percent: 20) { send.data = "data \(step)" }
            if random.chance(percent: 20) { send.metaArrays = ["tags": ["tag \(step)"]] }
            if random.chance(percent: 30) { send.parentMessageID = parents.randomElement(using: &random) }
            if let sent = try? chat.run(send, as: .user(user)), send.parentMessageID == nil {
                parents.append(sent.message.id)
            }
        }
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `a state whose bodies are on disk is the same as one in memory`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = Chat(seed: seed)
        try chat.create(with: [bob])
        if random.chance(percent: 60) {
            try chat.run(SetRetention(channelID: general, maxMessages: 150), as: .server)
        }
        let shelf = BlockShelf()
        var state = try shelf.load([])
        var followed = 0
        func follow() {
            for record in chat.records[followed...] { state.evolve(record) }
            followed = chat.records.count
        }
        var parents: [MessageID] = []
        for step in 0..<400 {
            try Self.act(&chat, &random, step, &parents)
            guard random.chance(percent: 6) else { continue }
            follow()
            #expect(state.allParts == chat.state.allParts, "seed \(seed), step \(step)")
            let (parts, blocks) = shelf.store(state) { _ in random.chance(percent: 90) }
            let time = state.lastAt
            // What a snapshot has stored holds nothing that was removed.
            let texts = Set(chat.texts)
            for case .blocks(_, let stored) in parts {
                for body in stored.flatMap({ shelf.bodies($0.reference) }) where !body.text.isEmpty {
                    #expect(texts.contains(body.text), "seed \(seed), step \(step)")
                }
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                state = try shelf.load(parts, cacheBytes: Int.random(in: 0...20_000, using: &random))
                #expect(state.bodySize == 0)
            case let choice:
                // The chat goes on while the snapshot is made.
                for later in 0..<Int.random(in: 0...10, using: &random) {
                    try Self.act(&chat, &random, 1_000 * step + later, &parents)
                }
                follow()
                shelf.adopt(blocks, in: state, asOf: time, forgetting: choice == 1)
            }
            // What the snapshot does not need is overwritten.
            shelf.keepOnly(parts)
            #expect(state.allParts == chat.state.allParts, "seed \(seed), step \(step)")
        }
        #expect(shelf.reads > 0)
    }

    /// Returns a chat with 200 messages, and a state with the same messages on disk.
    private func chatOnDisk(_ shelf: BlockShelf) throws -> (Chat, ChatState) {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<200 {
            let send = SendMessage(channelID: general, text: "text \(number)", clientID: "client \(number)")
            try chat.run(send, as: .user(ann))
        }
        return (chat, try shelf.load(shelf.store(chat.state).parts))
    }

    private func list(_ state: ChatState, at time: Int64) throws -> [String?] {
        let context = Context(caller: .user(bob), now: time, freshID: MessageID(high: 0, low: 0), settings: .init())
        return try ListMessages(channelID: general, limit: 100).answer(from: state, context).messages.map(\.text)
    }

    @Test func `an attempt reads nothing from disk, and succeeds when what it missed was added`() throws {
        let shelf = BlockShelf()
        let (chat, state) = try chatOnDisk(shelf)
        let reads = shelf.reads
        state.blocks.beginAttempt()
        _ = try list(state, at: chat.now)
        let missing = state.blocks.endAttempt()
        #expect(missing.count == 3 && Set(missing).count == 3 && shelf.reads == reads)
        for block in missing { state.blocks.add(block, shelf.read(block)) }
        state.blocks.beginAttempt()
        #expect(try list(state, at: chat.now) == (100..<200).map { "text \($0)" })
        #expect(state.blocks.endAttempt().isEmpty)
        #expect(state.blocks.counts == BlockCache.Counts(misses: 3, reads: 0))
    }

    @Test func `a damaged block takes the texts of its messages and nothing else`() throws {
        let shelf = BlockShelf()
        let (chat, state) = try chatOnDisk(shelf)
        let last = try #require(shelf.references.max { $0.offset < $1.offset })
        shelf.replace(last, by: .damaged)
        let texts = try list(state, at: chat.now)
        #expect(texts.prefix(92) == (100..<192).map { "text \($0)" }[...])
        #expect(texts.suffix(8).allSatisfy { $0 == "" })
        #expect(state.blocks.damaged == [last])
    }

    @Test func `MS3: a client id is known whose message is on disk`() throws {
        let shelf = BlockShelf()
        let (chat, state) = try chatOnDisk(shelf)
        let context = Context(
            caller: .user(ann), now: chat.now, freshID: MessageID(high: 9, low: 9), settings: .init())
        let same = SendMessage(channelID: general, text: "text 7", clientID: "client 7")
        #expect(try same.decide(in: state, context).events.isEmpty)
        #expect(try same.response(from: state, context, after: []).message.text == "text 7")
        #expect(throws: Rejection.self) {
            try SendMessage(channelID: general, text: "other", clientID: "client 7").decide(in: state, context)
        }
        #expect(
            try SendMessage(channelID: general, text: "new", clientID: "client 200").decide(in: state, context).events
                .count == 1)
    }

    @Test func `MS8: the uploads of a message on disk are deleted with it`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let photo = FileID(high: 1, low: 2)
        try chat.upload(photo)
        var send = SendMessage(channelID: general, kind: .file)
        send.files = [FileReference(id: photo)]
        let sent = try chat.run(send, as: .user(ann)).message
        let shelf = BlockShelf()
        let state = try shelf.load(shelf.store(chat.state).parts)
        let context = Context(caller: .server, now: chat.now, freshID: MessageID(high: 9, low: 9), settings: .init())
        let decision = try DeleteMessage(channelID: general, messageID: sent.id).decide(in: state, context)
        #expect(decision.events == [.messageDeleted(general, sent.id, files: [photo])])
    }

    @Test(arguments: [false, true], [false, true])
    func `PR1: nothing that a deleted user chose stays in a block`(deletes: Bool, isInMemory: Bool) throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<200 {
            let user = number % 3 == 0 ? bob : ann
            let send = SendMessage(
                channelID: general, text: "\(user) says \(number)", clientID: "\(user) \(number)")
            try chat.run(send, as: .user(user))
        }
        let shelf = BlockShelf()
        let (parts, blocks) = shelf.store(chat.state)
        var state = try shelf.load(parts)
        if isInMemory {
            state = try shelf.load([])
            for record in chat.records { state.evolve(record) }
            for block in blocks { state.adopt(block, asOf: .max) }
        }
        let followed = chat.records.count
        try chat.erase(bob, deletingMessages: deletes)
        for record in chat.records[followed...] { state.evolve(record) }
        #expect(state.allParts == chat.state.allParts)
        let stored = shelf.store(state).parts
        for case .blocks(_, let blocks) in stored {
            for body in blocks.flatMap({ shelf.bodies($0.reference) }) {
                #expect(!(body.clientID ?? "").hasPrefix("bob"))
                #expect(!deletes || !body.text.hasPrefix("bob"))
            }
        }
        let time = state.lastAt + 1
        shelf.adopt(shelf.store(state).blocks, in: state, asOf: time)
        #expect(shelf.store(state).blocks.isEmpty, "nothing is stale any more")
        #expect(try shelf.load(stored).allParts == chat.state.allParts)
    }

    @Test func `PR1: an attempt to erase a user notes the bodies that have to be read`() throws {
        let shelf = BlockShelf()
        let (_, state) = try chatOnDisk(shelf)
        let reads = shelf.reads
        let replaced = Event.userReplaced(Event.UserReplaced(channel: general, user: ann, after: 0, upTo: 150))
        state.blocks.beginAttempt()
        state.needBodies(for: [replaced])
        #expect(state.blocks.endAttempt().count == 3 && shelf.reads == reads)
    }

    @Test func `the cache keeps about as much as it may`() throws {
        let shelf = BlockShelf()
        let (_, state) = try chatOnDisk(shelf)
        let size = try #require(shelf.references.map { BodyBlock(shelf.bodies($0)).size }.max())
        state.blocks.limit = 2 * size
        for _ in 1...3 {
            for message in try #require(state.channels[general]).messages { #expect(!message.text.isEmpty) }
            #expect(state.blocks.size <= 3 * size)
        }
    }

    @Test func `an attempt notes about as many bytes as one load may have`() {
        let cache = BlockCache(reader: BlockShelf())
        cache.beginAttempt()
        for number in 0..<100 as Range<UInt64> {
            #expect(cache.block(BlockReference(file: 1, offset: number, size: 1_048_576)) == nil)
        }
        #expect(cache.endAttempt().count == 16)
        cache.beginAttempt()
        for number in 0..<2_000 as Range<UInt64> { _ = cache.block(BlockReference(file: 1, offset: number, size: 1)) }
        #expect(cache.endAttempt().count == BlockCache.missLimit)
    }

    @Test func `what commands under way need is bounded, too`() {
        let body = MessageBody(text: String(repeating: "x", count: 10_000))
        let cache = BlockCache(limit: 20_000, excess: 100_000)
        for number in 0..<100 as Range<UInt64> {
            cache.add(BlockReference(file: 1, offset: number, size: 1), .bodies([body]))
            #expect(cache.size <= 2 * 130_000)
        }
        #expect(cache.size >= 110_000)
    }

    @Test func `a damaged block counts once, when it is needed`() {
        let cache = BlockCache(reader: BlockShelf())
        let block = BlockReference(file: 1, offset: 1, size: 1)
        cache.add(block, .damaged)
        #expect(cache.counts.damaged == 0)
        for _ in 1...2 { #expect(cache.block(block) == nil) }
        #expect(cache.counts.damaged == 1)
        #expect(cache.block(BlockReference(file: 1, offset: 2, size: 1)) == nil && cache.counts.damaged == 2)
    }

    @Test func `the oldest bodies are forgotten until the rest is within the budget`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<640 {
            chat.now += 600_000
            try chat.say("text \(number)")
        }
        let shelf = BlockShelf()
        for block in shelf.store(chat.state).blocks { chat.state.adopt(block, asOf: .max) }
        let all = chat.state.bodySize
        var survey = BodySurvey()
        for part in 0..<ChatState.bodyParts { chat.state.survey(part: part, &survey) }
        #expect(survey.time(for: all) == nil)
        let time = try #require(survey.time(for: all / 2))
        for part in 0..<ChatState.bodyParts { chat.state.forgetBodies(part: part, upTo: time) }
        #expect((all / 4...all / 2).contains(chat.state.bodySize))
        let messages = try #require(chat.state.channels[general]).messages
        chat.state.blocks.beginAttempt()
        #expect(messages[messages.endIndex - 1].text == "text 639")
        #expect(chat.state.blocks.endAttempt().isEmpty)
    }

    private static let hashes: [(String, UInt64)] = [
        ("a", 0x4074_48D2_B89B_1813), ("abcdefg", 0x6DB1_2AAE_9070_F506), ("abcdefgh", 0x3F7B_849C_0B8E_35EA),
        ("hello, keyed world", 0x698A_4A9B_0D22_089C),
    ]

    @Test func `the keyed hash is SipHash-1-3`() {
        // As CPython computes them for bytes with PYTHONHASHSEED=0.
        for (text, expected) in Self.hashes {
            var hash = KeyedHash(HashKey(low: 0, high: 0))
            hash.combine(text.utf8)
            #expect(hash.finalize() == expected, "\(text)")
        }
    }
}

extension Chat {
    /// The texts of all messages, edited as they are now.
    fileprivate var texts: [String] { state.channels.values.flatMap { $0.messages.map(\.text) } }
}
