import ChatEngine
import ChatModel
import ClusterSupport
import Gateway
import Replication
import Testing

@testable import Cluster

/// Dead letters on the nodes of a cluster, of which ann is the writer.
@Suite struct DeadLetterExchangeTests {
    private let term = LogTerm(number: 7, writer: ann)

    // MARK: On a bus in memory

    private struct Pair {
        let writer = MemoryWebhooks()
        let follower = MemoryWebhooks()
        let exchanges: [DeadLetterExchange]

        init(_ term: LogTerm) {
            let bus = MemoryBus()
            follower.content.withLock { $0.positions = ["a": 0, "b": 0, "gone": 0] }
            exchanges = [
                DeadLetterExchange(ann, bus.connect(), writer), DeadLetterExchange(bob, bus.connect(), follower),
            ]
            for exchange in exchanges {
                exchange.start()
                exchange.begin(term)
            }
        }

        /// Has the writer tell its progress until the condition holds.
        func tell(sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool) throws {
            try wait(sourceLocation: sourceLocation) {
                exchanges[0].tell()
                return condition()
            }
        }

        func stop() { for exchange in exchanges { exchange.stop() } }
    }

    @Test func `L2: a node copies the letters that it lacks, then drops the events up to the writer's position`() throws
    {
        let pair = Pair(term)
        for serial in 1...3 as ClosedRange<UInt64> { pair.writer.add(serial) }
        pair.writer.content.withLock { $0.positions = ["a": 9, "b": 4] }
        try pair.tell { pair.follower.skips.contains("a 9") && pair.follower.skips.contains("b 4") }
        let (theirs, mine) = (pair.writer.content.withLock(\.letters), pair.follower.content.withLock(\.letters))
        #expect(mine == theirs)
        #expect(pair.follower.content.withLock(\.bodies) == pair.writer.content.withLock(\.bodies))
        #expect(pair.writer.skips.isEmpty)
        pair.stop()
    }

    @Test func `L2: many letters and large ones are copied in pages and pieces`() throws {
        let pair = Pair(term)
        for serial in 1...1_203 as ClosedRange<UInt64> { pair.writer.add(serial) }
        pair.writer.add(2_000, bytes: 600_001)
        pair.writer.add(2_001, bytes: DeadLetterExchange.bytesPerPiece)
        pair.writer.add(2_002, bytes: 0)
        pair.writer.content.withLock { $0.positions = ["a": 9] }
        try pair.tell { pair.follower.skips.contains("a 9") }
        #expect(pair.follower.serials() == pair.writer.serials())
        #expect(pair.follower.content.withLock(\.bodies) == pair.writer.content.withLock(\.bodies))
        pair.stop()
    }

    @Test func `L2: letters that the writer has no longer are removed, up to its position`() throws {
        let pair = Pair(term)
        pair.follower.add(1, frame: 5)
        pair.follower.add(2, frame: 6)
        pair.follower.add(3, frame: 7)
        pair.follower.add(4, frame: 2, of: "gone")
        pair.writer.add(2, frame: 6)
        pair.writer.content.withLock { $0.positions = ["a": 6, "gone": 3] }
        // The writer may not have decided about the event of frame 7.
        try pair.tell { pair.follower.serials() == [2, 3] && pair.follower.serials(of: "gone").isEmpty }
        try pair.tell { pair.follower.skips.contains("a 6") }
        pair.writer.content.withLock { $0.positions = ["a": 7] }
        try pair.tell { pair.follower.serials() == [2] }
        pair.stop()
    }

    @Test func `L2: a replay on any node is one on the writer`() throws {
        let pair = Pair(term)
        pair.writer.content.withLock { $0.replayed = 2 }
        let counts = Heard<Int?>()
        // Nobody answers before the writer serves.
        let first = Heard<Int?>()
        while first.all.last != 2 {
            let count = first.all.count
            pair.exchanges[1].replay(["e1", "e2"], of: "a") { first.add($0) }
            try wait { first.all.count > count }
        }
        counts.add(2)
        pair.exchanges[1].replay(nil, of: "a") { counts.add($0) }
        try wait { counts.all.count == 2 }
        #expect(counts.all == [2, 2])
        #expect(pair.writer.content.withLock(\.replays) == [["e1", "e2"], nil])
        #expect(pair.follower.content.withLock(\.replays).isEmpty)
        pair.stop()
    }

    // MARK: By hand

    /// The node bob on a bus that the test drives.
    private struct Scene {
        let bus = HandBus()
        let webhooks = MemoryWebhooks()
        let exchange: DeadLetterExchange

        init(_ term: LogTerm?) throws {
            exchange = DeadLetterExchange(bob, bus, webhooks)
            exchange.start()
            if let term { exchange.begin(term) }
            webhooks.content.withLock { $0.positions = ["a": 0, "b": 0] }
            let bus = bus
            try wait { bus.isServed(Subjects.webhooks) && bus.isServed(Subjects.replays(of: bob)) }
        }

        func hear(
            _ positions: [String: UInt64] = ["a": 9], letters: [String: UInt64] = ["a": 1], from node: NodeID = ann
        ) {
            var proto = ProtoWebhookProgress()
            (proto.node, proto.positions, proto.letters) = (ProtoNode(node), positions, letters)
            bus.deliver(proto.encoded, to: Subjects.webhooks)
        }

        /// Answers the request with this number, from 0.
        func answer(_ index: Int, _ reply: BusReply) throws {
            try wait { bus.requests.all.count > index }
            bus.requests.all[index].done(reply)
        }

        func answer(_ index: Int, page serials: [UInt64], isLast: Bool = true, type: String = "push") throws {
            var page = ProtoLetterPage()
            page.letters = serials.map { serial in
                let letter = DeadLetter(eventID: "e\(serial)", type: type, at: 1, attempts: 2, status: nil)
                return ProtoLetter(SharedLetter(serial: serial, frame: 3, letter: letter))
            }
            page.isLast = isLast
            try answer(index, .reply(page.encoded))
        }

        func answer(_ index: Int, piece bytes: [UInt8]?, isLast: Bool = true) throws {
            var piece = ProtoLetterBodyPiece()
            piece.exists = bytes != nil
            (piece.bytes, piece.isLast) = (.init(bytes ?? []), isLast)
            try answer(index, .reply(piece.encoded))
        }

        var subjects: [String] { bus.requests.all.map(\.subject) }
    }

    @Test func `L2: no event is dropped before all letters are on disk`() throws {
        let scene = try Scene(term)
        scene.hear()
        try scene.answer(0, page: [4, 8])
        try scene.answer(1, piece: [1], isLast: false)
        try scene.answer(2, piece: [2])
        try wait { scene.subjects.count == 4 }
        #expect(scene.webhooks.skips.isEmpty && scene.webhooks.serials() == [4])
        scene.webhooks.content.withLock { $0.canKeep = false }
        try scene.answer(3, piece: [3])
        // The next news begin again, with what is missing.
        try wait {
            scene.hear()
            return scene.subjects.count == 5
        }
        scene.webhooks.content.withLock { $0.canKeep = true }
        #expect(scene.webhooks.skips.isEmpty)
        try scene.answer(4, page: [4, 8])
        try scene.answer(5, piece: [3])
        try wait { scene.webhooks.skips == ["a 9"] }
        #expect(scene.webhooks.content.withLock(\.bodies) == [4: [1, 2], 8: [3]])
        let (page, body) = (Subjects.letters(of: ann), Subjects.letterBodies(of: ann))
        #expect(scene.subjects == [page, body, body, body, page, body])
        scene.exchange.stop()
    }

    @Test func `L2: a letter that was delivered meanwhile is left out`() throws {
        let scene = try Scene(term)
        scene.hear()
        try scene.answer(0, page: [4, 8])
        try scene.answer(1, piece: nil)
        try scene.answer(2, piece: [3])
        try wait { scene.webhooks.skips == ["a 9"] }
        #expect(scene.webhooks.serials() == [8])
        scene.exchange.stop()
    }

    @Test func `L2: news of a node that does not write are ignored, and so are those before the first term`() throws {
        let scene = try Scene(nil)
        scene.hear()
        scene.exchange.begin(LogTerm(number: 7, writer: node("cid")))
        scene.hear()
        scene.hear(letters: [:], from: bob)
        scene.exchange.begin(term)
        scene.hear(["b": 1], letters: [:])
        try wait { scene.webhooks.skips == ["b 1"] }
        #expect(scene.subjects.isEmpty)
        scene.exchange.stop()
    }

    @Test func `L2: letters of a webhook that this node does not have are not copied`() throws {
        let scene = try Scene(term)
        scene.hear(["../../a": 3, "b": 1], letters: ["../../a": 1])
        try wait { scene.webhooks.skips == ["b 1"] }
        #expect(scene.subjects.isEmpty)
        scene.exchange.stop()
    }

    @Test func `L2: what an earlier writer answers is ignored`() throws {
        let scene = try Scene(term)
        scene.hear()
        try scene.answer(0, page: [4])
        try wait { scene.subjects.count == 2 }
        scene.exchange.begin(LogTerm(number: 8, writer: node("cid")))
        scene.hear(from: node("cid"))
        try wait { scene.subjects.count == 3 }
        try scene.answer(1, piece: [1])
        try scene.answer(2, page: [])
        try wait { scene.webhooks.skips == ["a 9"] }
        #expect(scene.webhooks.serials().isEmpty)
        scene.exchange.stop()
    }

    /// Answers that no node gives.
    @Test func `L2: a copy ends with an answer that cannot be right, and begins again`() throws {
        let scene = try Scene(term)
        let wrong: [(Scene, Int) throws -> Void] = [
            { try $0.answer($1, .silence) }, { try $0.answer($1, .nobody) }, { try $0.answer($1, .reply([0xFF])) },
            { try $0.answer($1, page: [], isLast: false) }, { try $0.answer($1, page: [2, 1]) },
            { try $0.answer($1, page: [0]) }, { try $0.answer($1, page: [1, 1]) },
            { try $0.answer($1, page: [1], type: "a b") }, { try $0.answer($1, page: [1], type: "") },
            { try $0.answer($1, page: Array(1...UInt64(DeadLetterCopy.letterLimit + 1))) },
        ]
        for (index, answer) in wrong.enumerated() {
            try wait {
                scene.hear()
                return scene.subjects.count == index + 1
            }
            try answer(scene, index)
        }
        try wait {
            scene.hear()
            return scene.subjects.count == wrong.count + 1
        }
        try scene.answer(wrong.count, page: [1])
        try scene.answer(wrong.count + 1, piece: [], isLast: false)
        try wait {
            scene.hear()
            return scene.subjects.count == wrong.count + 3
        }
        #expect(Set(scene.subjects) == [Subjects.letters(of: ann), Subjects.letterBodies(of: ann)])
        #expect(scene.webhooks.skips.isEmpty && scene.webhooks.serials().isEmpty)
        scene.exchange.stop()
    }

    @Test func `L2: a replay without a writer, or without its answer, has no count`() throws {
        let scene = try Scene(nil)
        let counts = Heard<Int?>()
        scene.exchange.replay(nil, of: "a") { counts.add($0) }
        try wait { counts.all.count == 1 }
        scene.exchange.begin(term)
        scene.exchange.replay(nil, of: "a") { counts.add($0) }
        try scene.answer(0, .silence)
        try wait { counts.all.count == 2 }
        #expect(counts.all == [nil, nil] && scene.subjects == [Subjects.replays(of: ann)])
        scene.exchange.stop()
    }

    @Test func `L2: only the writer tells its progress`() throws {
        let scene = try Scene(term)
        scene.webhooks.content.withLock { $0.positions = ["a": 3] }
        scene.exchange.tell()
        scene.exchange.begin(LogTerm(number: 8, writer: bob))
        scene.exchange.tell()
        try wait { !scene.bus.published.all.isEmpty }
        let told = try #require(ProtoWebhookProgress(encoded: scene.bus.published.all[0]))
        #expect(scene.bus.published.all.count == 1)
        #expect(NodeID(told.node) == bob && told.positions == ["a": 3] && told.letters.isEmpty)
        scene.exchange.stop()
    }

    @Test func `a letter is the same after its way over the bus`() throws {
        for status in [nil, 0, 503] as [Int?] {
            let letter = SharedLetter(
                serial: .max, frame: .max - 1,
                letter: DeadLetter(eventID: "e", type: "push", at: .max, attempts: 15, status: status))
            #expect(SharedLetter(try #require(ProtoLetter(encoded: ProtoLetter(letter).encoded))) == letter)
        }
    }
}
