import ChatModel
import ClusterSupport
import Dispatch
import Gateway
import Journal
import Replication
import Synchronization
import Testing

@testable import Cluster

/// What an engine learns of the users of other nodes.
private final class Shown: Sendable {
    private let counts = Mutex<[UserID: Int]>([:])

    func record(_ connected: [UserID], _ disconnected: [UserID]) {
        counts.withLock { counts in
            for user in connected { counts[user, default: 0] += 1 }
            for user in disconnected { counts[user, default: 0] -= 1 }
        }
    }

    /// The number of other nodes that have each user connected.
    var all: [UserID: Int] { counts.withLock { $0.filter { $0.value != 0 } } }
}

@Suite struct PresenceExchangeTests {
    /// A node on a bus in memory, with a clock that the test moves.
    private final class Peer: Sendable {
        let shown = Shown()
        let now = Mutex<Int64>(0)
        let connection: MemoryBusConnection
        private let exchange: Mutex<PresenceExchange?>

        init(_ node: NodeID, _ bus: MemoryBus, queue: any SerialQueue = DispatchQueue(label: "presence")) {
            connection = bus.connect()
            exchange = Mutex(nil)
            let new = PresenceExchange(
                node, queue, connection, clock: { [weak self] in self?.now.withLock(\.self) ?? 0 }
            ) {
                [shown] in shown.record($0, $1)
            }
            exchange.withLock { $0 = new }
        }

        func start() { exchange.withLock(\.self)?.start() }
        func stop() { exchange.withLock(\.self)?.stop() }

        func record(_ users: some Sequence<UserID>, isConnected: Bool) {
            for user in users { exchange.withLock(\.self)?.record(user, isConnected: isConnected) }
        }
    }

    @Test func `a node learns of users who come and go elsewhere, each node for itself`() throws {
        let bus = MemoryBus()
        let (ann, bob, cat) = (Peer(ann, bus), Peer(bob, bus), Peer(node("cat"), bus))
        for peer in [ann, bob, cat] { peer.start() }
        ann.record(["dan", "eve"], isConnected: true)
        bob.record(["dan"], isConnected: true)
        try wait { cat.shown.all == ["dan": 2, "eve": 1] }
        try wait { ann.shown.all == ["dan": 1] && bob.shown.all == ["dan": 1, "eve": 1] }
        ann.record(["dan"], isConnected: false)
        try wait { cat.shown.all == ["dan": 1, "eve": 1] && bob.shown.all == ["eve": 1] }
        for peer in [ann, bob, cat] { peer.stop() }
    }

    /// A queue on which nothing ever happens later.
    private final class TimelessQueue: SerialQueue {
        private let queue = DispatchQueue(label: "presence")

        func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
        func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {}
        func enter(_ body: () -> Void) { queue.sync(execute: body) }
        func check() { dispatchPrecondition(condition: .onQueue(queue)) }
    }

    @Test func `a node that joins need not wait for the next beat to learn who is online`() throws {
        let bus = MemoryBus()
        let (ann, bob) = (Peer(ann, bus, queue: TimelessQueue()), Peer(bob, bus, queue: TimelessQueue()))
        ann.record(["dan"], isConnected: true)
        ann.start()
        bob.start()
        try wait { bob.shown.all == ["dan": 1] }
        for peer in [ann, bob] { peer.stop() }
    }

    @Test func `a node that joins learns of all users, of more than one page too`() throws {
        let bus = MemoryBus()
        let ann = Peer(ann, bus)
        ann.record((0..<9_000).map { user($0) }, isConnected: true)
        ann.start()
        let bob = Peer(bob, bus)
        bob.start()
        // What happens meanwhile comes on top.
        ann.record((0..<500).map { user($0) }, isConnected: false)
        ann.record((9_000..<9_500).map { user($0) }, isConnected: true)
        let expected = Dictionary(uniqueKeysWithValues: (500..<9_500).map { (user($0), 1) })
        try wait { bob.shown.all == expected }
        for peer in [ann, bob] { peer.stop() }
    }

    @Test func `the users of a silent node have departed, and are back when it is heard again`() throws {
        let bus = MemoryBus()
        let (ann, bob) = (Peer(ann, bus), Peer(bob, bus))
        for peer in [ann, bob] { peer.start() }
        ann.record(["dan"], isConnected: true)
        try wait { bob.shown.all == ["dan": 1] }
        ann.connection.isCut.store(true, ordering: .relaxed)
        ann.record(["eve"], isConnected: true)
        bob.now.withLock { $0 += 4_000 }
        try wait { bob.shown.all.isEmpty }
        ann.connection.isCut.store(false, ordering: .relaxed)
        try wait { bob.shown.all == ["dan": 1, "eve": 1] }
        for peer in [ann, bob] { peer.stop() }
    }

    // MARK: By hand

    /// The node bob on a bus that the test drives, and what its messages say.
    private struct Scene {
        let bus = HandBus()
        let shown = Shown()
        let exchange: PresenceExchange

        init(clock: @escaping @Sendable () -> Int64 = { 0 }) throws {
            let shown = shown
            let queue = DispatchQueue(label: "presence")
            exchange = PresenceExchange(bob, queue, bus, clock: clock) { shown.record($0, $1) }
            exchange.start()
            let bus = bus
            try wait { bus.isServed(Subjects.presence) && bus.isServed(Subjects.presence(of: bob)) }
        }

        func hear(_ before: UInt64, _ changes: [(String, Bool)] = [], from node: NodeID = ann) {
            var proto = ProtoPresenceChanges()
            (proto.node, proto.before) = (ProtoNode(node), before)
            proto.changes = changes.map { user, isConnected in
                var change = ProtoPresenceChange()
                (change.user, change.connected) = (user, isConnected)
                return change
            }
            bus.deliver(proto.encoded, to: Subjects.presence)
        }

        /// Answers the question with this number, from 0.
        func answer(_ index: Int, _ users: [String], changes: UInt64, isLast: Bool) throws {
            try wait { bus.requests.all.count > index }
            var page = ProtoPresencePage()
            (page.users, page.changes, page.isLast) = (users, changes, isLast)
            bus.requests.all[index].done(.reply(page.encoded))
        }

        /// The user after whom each page was asked for.
        func questions() -> [String?] {
            bus.requests.all.map { request in
                guard let question = ProtoPresenceQuestion(encoded: request.message) else { return "unreadable" }
                return question.hasAfter ? question.after : nil
            }
        }
    }

    @Test func `a gap that shows at the end of a question leads to one new question, from the first page on`() throws {
        let scene = try Scene()
        scene.hear(0)
        try scene.answer(0, ["ann", "bob"], changes: 0, isLast: false)
        try wait { scene.questions().count == 2 }
        scene.hear(5, [("eve", true)])
        try scene.answer(1, ["cat"], changes: 6, isLast: true)
        try scene.answer(2, ["ann", "bob"], changes: 6, isLast: false)
        try scene.answer(3, ["cat", "eve"], changes: 6, isLast: true)
        try wait { scene.shown.all == ["ann": 1, "bob": 1, "cat": 1, "eve": 1] }
        #expect(scene.questions() == [nil, "bob", nil, "bob"])
        scene.exchange.stop()
    }

    @Test func `an answer to a question of earlier contact is ignored`() throws {
        let now = Mutex<Int64>(0)
        let scene = try Scene(clock: { now.withLock(\.self) })
        scene.hear(3)
        try scene.answer(0, ["ann", "bob"], changes: 3, isLast: false)
        try wait { scene.questions().count == 2 }
        now.withLock { $0 += 4_000 }
        // Its own beats show that it has looked for silent nodes.
        let beats = scene.bus.published.all.count
        try wait { scene.bus.published.all.count > beats + 1 }
        scene.hear(3)
        try wait { scene.questions().count == 3 }
        try scene.answer(1, ["cat"], changes: 3, isLast: true)
        try scene.answer(2, ["ann", "bob", "cat"], changes: 3, isLast: true)
        try wait { scene.shown.all == ["ann": 1, "bob": 1, "cat": 1] }
        scene.exchange.stop()
    }

    /// They were reported in the order of a dictionary, which differs between processes.
    @Test func `nodes that depart together are reported in the order of their names`() throws {
        let now = Mutex<Int64>(0)
        let (bus, departed) = (HandBus(), Heard<UserID>())
        let exchange = PresenceExchange(
            bob, DispatchQueue(label: "presence"), bus, clock: { now.withLock(\.self) },
            report: { _, users in for user in users { departed.add(user) } })
        exchange.start()
        try wait { bus.isServed(Subjects.presence) }
        let users = (0..<20).map { "user\(10 + $0)" }
        for (index, user) in users.enumerated() {
            var proto = ProtoPresenceChanges()
            proto.node = ProtoNode(node("node-of-\(user)"))
            bus.deliver(proto.encoded, to: Subjects.presence)
            try wait { bus.requests.all.count > index }
            var page = ProtoPresencePage()
            (page.users, page.isLast) = ([user], true)
            bus.requests.all[index].done(.reply(page.encoded))
        }
        now.withLock { $0 = 4_000 }
        try wait { departed.all.count == users.count }
        #expect(departed.all.map(\.rawValue) == users)
        exchange.stop()
    }

    @Test func `an unanswered question is asked again at the next beat`() throws {
        let scene = try Scene()
        scene.hear(1)
        try wait { scene.questions().count == 1 }
        scene.bus.requests.all[0].done(.silence)
        try wait {
            scene.hear(1)
            return scene.questions().count == 2
        }
        try scene.answer(1, ["dan"], changes: 1, isLast: true)
        try wait { scene.shown.all == ["dan": 1] }
        scene.exchange.stop()
    }

    @Test func `messages of this node, of nodes without a name and with bad users are ignored`() throws {
        let scene = try Scene()
        scene.hear(0, from: bob)
        scene.hear(0, [("", true)])
        scene.bus.deliver([0xFF], to: Subjects.presence)
        var nameless = ProtoPresenceChanges()
        nameless.before = 1
        scene.bus.deliver(nameless.encoded, to: Subjects.presence)
        scene.hear(0, from: node("dan"))
        try wait { !scene.questions().isEmpty }
        #expect(scene.bus.requests.all.map(\.subject) == [Subjects.presence(of: node("dan"))])
        scene.exchange.stop()
    }

    @Test func `pages name each user once, in order, and the last one says so`() throws {
        let scene = try Scene()
        for number in 0..<4_001 { scene.exchange.record(user(number), isConnected: true) }
        var (users, pages): ([String], [Bool]) = ([], [])
        while pages.last != true {
            var question = ProtoPresenceQuestion()
            if let last = users.last { question.after = last }
            let replies = Heard<[UInt8]>()
            scene.bus.deliver(question.encoded, to: Subjects.presence(of: bob)) { replies.add($0) }
            try wait { !replies.all.isEmpty }
            let page = try #require(ProtoPresencePage(encoded: replies.all[0]))
            users += page.users
            pages.append(page.isLast)
        }
        #expect(pages == [false, true])
        #expect(users == (0..<4_001).map { user($0) }.sorted().map(\.rawValue))
        scene.exchange.stop()
    }
}
