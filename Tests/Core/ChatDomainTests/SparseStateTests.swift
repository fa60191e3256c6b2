import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Covers runs of messages on disk, and states that leave them there.
@Suite struct SparseStateTests {
    /// A chat, and the snapshots that a compaction makes of it, each from the one before and the records since.
    private struct Snapshots {
        var chat: Chat
        let shelf = BlockShelf()
        var parts: [StatePart] = []
        var limits = BlockShelf.limits
        private var followed = 0

        init(_ chat: Chat) { self.chat = chat }

        /// - Parameter keeps: Whether a block or run may stay where it is.
        mutating func make(_ keeps: @escaping (BlockReference) -> Bool = { _ in true }) throws {
            let state = try shelf.loadSparse(parts)
            // What it does not refer to is overwritten on the disk.
            var referred: [RunPart] = []
            state.visitRuns { referred.append($0) }
            #expect(referred == runs)
            for record in chat.records[followed...] {
                #expect(state.expects(record))
                state.evolve(record)
            }
            followed = chat.records.count
            parts = shelf.store(state, limits, keeps: keeps).parts
            #expect(state.unreadableRun == nil)
            shelf.keepOnly(parts)
        }

        /// Whether a server that starts from the last snapshot has the whole chat.
        func isWhole() throws -> Bool { try shelf.load(parts).allParts == chat.state.allParts }

        var runs: [RunPart] {
            var all: [RunPart] = []
            for case .runs(_, _, let runs) in parts { all += runs }
            return all
        }
    }

    /// Does one thing at random to the messages of a channel.
    private func act(_ chat: inout Chat, _ random: inout SeededGenerator, _ ids: inout [MessageID], _ step: Int) throws
    {
        let user = random.pick([ann, bob])
        guard let id = ids.randomElement(using: &random), random.chance(percent: 30) else {
            var send = SendMessage(channelID: general, text: "text \(step)")
            if random.chance(percent: 50) { send.clientID = "client \(step)" }
            if random.chance(percent: 20) { send.mentionedUserIDs = [cat] }
            if random.chance(percent: 30) { send.parentMessageID = ids.randomElement(using: &random) }
            guard let sent = try? chat.run(send, as: .user(user)) else { return }
            if send.parentMessageID == nil { ids.append(sent.message.id) }
            return
        }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: _ = try? chat.run(DeleteMessage(channelID: general, messageID: id), as: .server)
        case 1:
            let change = UpdateMessage(channelID: general, messageID: id, text: "edited \(step)")
            _ = try? chat.run(change, as: .server)
        case 2: _ = try? chat.run(RemoveReaction(channelID: general, messageID: id, key: "sob"), as: .user(user))
        case 3:
            let change = UpdateThread(channelID: general, parentMessageID: id, title: "title \(step)")
            _ = try? chat.run(change, as: .server)
        // After a day, the client ids of removed messages are forgotten.
        case 4: chat.pass(seconds: random.chance(percent: 10) ? 100_000 : 1)
        default: _ = try? chat.run(AddReaction(channelID: general, messageID: id, key: "sob"), as: .user(user))
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a snapshot made without loading all messages has the whole chat`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var snapshots = Snapshots(Chat(seed: seed))
        try snapshots.chat.create(with: [bob])
        if seed.isMultiple(of: 2) {
            try snapshots.chat.run(SetRetention(channelID: general, maxMessages: 450), as: .server)
        }
        // Reactions get pieces of their own.
        if seed > 3 { snapshots.limits.bytes = 1_000 }
        var ids: [MessageID] = []
        for step in 0..<1_200 {
            try act(&snapshots.chat, &random, &ids, step)
            guard random.chance(percent: 2) else { continue }
            try snapshots.make { _ in random.chance(percent: 95) }
            #expect(try snapshots.isWhole(), "seed \(seed), step \(step)")
        }
        #expect(snapshots.runs.count > 1)
    }

    @Test func `PR1: runs without a deleted user stay where they are`() throws {
        var snapshots = try longChat(with: [cat])
        let before = snapshots.runs
        let id = try #require(snapshots.chat.state.channels[general]).messages.id(at: 600)
        try snapshots.chat.run(AddReaction(channelID: general, messageID: id, key: "sob"), as: .user(cat))
        try snapshots.chat.erase(cat)
        try snapshots.make()
        #expect(zip(before, snapshots.runs).map { $0 == $1 } == [true, true, false, true])
        #expect(try snapshots.isWhole())
        #expect(!"\(try snapshots.shelf.load(snapshots.parts).allParts)".contains("\"cat\""))
    }

    @Test(arguments: [false, true]) func `PR1: a deleted user leaves the runs`(deletesMessages: Bool) throws {
        var snapshots = Snapshots(Chat())
        try snapshots.chat.create(with: [bob, cat])
        for number in 0..<700 {
            let send = SendMessage(
                channelID: general, text: "text \(number)", clientID: "client \(number)",
                mentionedUserIDs: number % 200 == 0 ? [cat] : [])
            try snapshots.chat.run(send, as: .user(number % 300 == 7 ? cat : ann))
        }
        try snapshots.make()
        try snapshots.chat.erase(cat, deletingMessages: deletesMessages)
        try snapshots.make()
        #expect(try snapshots.isWhole())
        let state = try snapshots.shelf.load(snapshots.parts)
        #expect(!"\(state.allParts)".contains("\"cat\""))
    }

    /// Returns snapshots of a chat with 1,000 messages.
    private func longChat(with others: [UserID] = []) throws -> Snapshots {
        var snapshots = Snapshots(Chat())
        try snapshots.chat.create(with: [bob] + others)
        for number in 0..<1_000 { try snapshots.chat.say("text \(number)", by: ann) }
        try snapshots.make()
        return snapshots
    }

    @Test func `a snapshot reads and writes only the runs that have changed`() throws {
        var snapshots = try longChat()
        let before = snapshots.runs
        #expect(before.map(\.count) == [256, 256, 256, 232])
        let reads = snapshots.shelf.runReads
        let id = try #require(snapshots.chat.state.channels[general]).messages.id(at: 300)
        try snapshots.chat.run(AddReaction(channelID: general, messageID: id, key: "sob"), as: .user(bob))
        try snapshots.chat.run(MarkRead(channelID: general), as: .user(bob))
        try snapshots.make()
        #expect(snapshots.shelf.runReads == reads + 1)
        #expect(zip(before, snapshots.runs).map { $0 == $1 } == [true, false, true, true])
        #expect(try snapshots.isWhole())
        // A new message continues the last run.
        let later = snapshots.runs
        try snapshots.chat.say("more", by: bob)
        try snapshots.make()
        #expect(zip(later, snapshots.runs).map { $0 == $1 } == [true, true, true, false])
        #expect(try snapshots.isWhole())
    }

    @Test func `the last few messages are in the snapshot itself`() throws {
        var snapshots = Snapshots(Chat())
        try snapshots.chat.create(with: [bob])
        for number in 0..<63 { try snapshots.chat.say("text \(number)", by: ann) }
        try snapshots.make()
        #expect(snapshots.runs == [])
        try snapshots.chat.say("one more", by: ann)
        try snapshots.make()
        #expect(snapshots.runs.map(\.count) == [64])
        #expect(try snapshots.isWhole())
    }

    @Test func `PR4: a run loses what retention removes, and the others stay`() throws {
        var snapshots = try longChat()
        let before = snapshots.runs
        try snapshots.chat.run(SetRetention(channelID: general, maxMessages: 700), as: .server)
        snapshots.chat.pass(seconds: 90_000)
        try snapshots.chat.say("later", by: ann)
        try snapshots.make()
        #expect(snapshots.runs.map(\.count) == [212, 256, 233])
        #expect(snapshots.runs[1] == before[2])
        #expect(try snapshots.isWhole())
    }

    @Test func `a run that cannot be read makes a sparse state worthless instead of losing messages`() throws {
        for contents in [RunContents.damaged, .unavailable, .parts([]), .parts([.erased([])])] {
            let snapshots = try longChat()
            let run = try #require(snapshots.runs.first)
            snapshots.shelf.replaceRun(run.reference, by: contents)
            let state = try snapshots.shelf.loadSparse(snapshots.parts)
            #expect(state.unreadableRun == nil)
            let channel = try #require(snapshots.chat.state.channels[general])
            let record = Record(
                event: .messageDeleted(general, channel.messages.id(at: 3), files: []), at: snapshots.chat.now, by: nil,
                positions: [RoomOffset(room: .channel(general), offset: channel.top + 1)])
            state.evolve(record)
            #expect(state.unreadableRun == run.reference)
            _ = snapshots.shelf.store(state)
        }
    }

    @Test func `runs that do not continue the messages before are refused`() throws {
        let snapshots = try longChat()
        let run = try #require(snapshots.runs.first)
        var (empty, long, late) = (run, run, run)
        (empty.count, long.count) = (0, 257)
        late.lastOffset = 2_000
        for (first, runs) in [(1, [run]), (0, [run, run]), (0, [empty]), (0, [long]), (0, [late])] {
            let head = snapshots.parts.prefix { part in if case .runs = part { false } else { true } }
            let state = try snapshots.shelf.loadSparse(Array(head))
            #expect(throws: StatePart.Problem.misplacedRun(general)) {
                try state.load(.runs(general, first: first, runs))
            }
        }
    }

    @Test func `a state that answers commands leaves no messages in runs`() throws {
        let snapshots = try longChat()
        let head = snapshots.parts.prefix { part in if case .runs = part { false } else { true } }
        let state = try snapshots.shelf.load(Array(head))
        #expect(throws: StatePart.Problem.misplacedRun(general)) {
            try state.load(.runs(general, first: 0, snapshots.runs))
        }
    }
}
