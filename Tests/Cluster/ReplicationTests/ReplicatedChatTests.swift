import ChatDomain
import ChatModel
import ClusterSupport
import Dispatch
import Foundation
import Gateway
import Synchronization
import Testing

@testable import Replication

private func user(_ name: String) -> UserID {
    guard let user = UserID(name) else { preconditionFailure("a user id") }
    return user
}

private let ada = user("ada")
private let ben = user("ben")

private func channel() -> ChannelID {
    guard let channel = ChannelID("general") else { preconditionFailure("a channel id") }
    return channel
}

/// Three nodes with chats, a shared log and a bus, on real queues and files.
private final class ChatCluster {
    let log = MemoryLog()
    let bus = MemoryBus()
    private(set) var nodes: [ChatNode] = []
    private let folder = FileManager.default.temporaryDirectory.path + "/belfry-cluster-\(UUID())"
    private var starts: UInt64 = 0

    /// - Parameter firstFrame: The first frame of the new log; nil if nobody creates it yet.
    init(firstFrame: UInt64? = 1) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if let firstFrame { create(firstFrame) }
        for name in ["ann", "bob", "cid"] { nodes.append(try start(name)) }
    }

    func create(_ firstFrame: UInt64) {
        let genesis = LogMessage.genesis(cluster: cluster, by: ann, firstFrame: firstFrame, recordVersion: 4)
        _ = log.append(genesis.encoded(), expecting: 0)
    }

    deinit {
        for node in nodes { node.kill() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func start(_ name: String) throws -> ChatNode {
        starts += 1
        let (store, bus) = (log.connect(), bus.connect())
        return try ChatNode(
            node(name, start: starts), of: cluster, folder: "\(folder)/\(name)-\(starts)", store: store, bus: bus
        ) { isCut in
            store.isCut.store(isCut, ordering: .relaxed)
            bus.isCut.store(isCut, ordering: .relaxed)
        }
    }

    /// Replaces a killed node by one with an empty journal.
    func replace(_ index: Int) throws {
        let name = nodes[index].id.name
        nodes[index] = try start(name)
    }

    /// Waits for a condition, for as long as a slow machine may need.
    func wait(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) throws {
        for _ in 0..<3_000 {
            if condition() { return }
            usleep(10_000)
        }
        let nodes = nodes.map { "\($0.id) \($0.isWriter ? "writer" : "") \($0.failure.map { "\($0)" } ?? "")" }
        Issue.record("the condition never held: \(nodes)", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Waits until one of the given nodes is the writer and returns its index.
    func writer(among candidates: [Int] = [0, 1, 2]) throws -> Int {
        var found: Int?
        try wait {
            found = candidates.first { nodes[$0].isWriter }
            return found != nil
        }
        return try #require(found)
    }

    /// Runs a command on the node until it is accepted.
    func change(_ change: some Change, as user: UserID, on index: Int) throws {
        try wait { self.answer(change, as: user, on: index) }
    }

    /// - Returns: Whether the command was accepted within a second.
    func answer(_ change: some Change, as user: UserID, on index: Int) -> Bool {
        let answer = Mutex<Bool?>(nil)
        let done = DispatchSemaphore(value: 0)
        nodes[index].change(change, as: user) { result in
            if case .success = result { answer.withLock { $0 = true } }
            done.signal()
        }
        return done.wait(timeout: .now() + .seconds(1)) == .success && answer.withLock(\.self) == true
    }
}

@Suite struct ReplicatedChatTests {
    private func begin(_ cluster: ChatCluster) throws -> Int {
        let writer = try cluster.writer()
        try cluster.change(CreateChannel(id: channel(), isPublic: true), as: ada, on: writer)
        try cluster.change(JoinChannel(channelID: channel()), as: ben, on: writer)
        return writer
    }

    private func send(_ text: String, _ cluster: ChatCluster, on index: Int) throws {
        // With an id, because a command is repeated if its answer is late.
        try cluster.change(SendMessage(channelID: channel(), text: text, clientID: text), as: ada, on: index)
    }

    @Test func `every node delivers the writer's events to its own connections, in order`() throws {
        let cluster = try ChatCluster()
        let writer = try begin(cluster)
        try cluster.wait { (try? cluster.nodes.map { try $0.state() }).map { Set($0).count == 1 } ?? false }
        for node in cluster.nodes { node.attach(ben) }
        try cluster.wait { cluster.nodes.allSatisfy { $0.port.events.contains("attached") } }
        try send("one", cluster, on: writer)
        try cluster.wait { cluster.nodes.allSatisfy { $0.port.events.contains("general 3") } }
        for number in 2...20 { try send("\(number)", cluster, on: writer) }
        let expected = (3...22).map { "general \($0)" }
        try cluster.wait { cluster.nodes.allSatisfy { $0.port.events.filter { $0.hasPrefix("general") } == expected } }
    }

    @Test func `only the writer decides`() throws {
        let cluster = try ChatCluster()
        let writer = try begin(cluster)
        for index in 0..<3 where index != writer {
            #expect(!cluster.answer(SendMessage(channelID: channel(), text: "no"), as: ada, on: index))
        }
        #expect(cluster.nodes.count { $0.isWriter } == 1)
    }

    @Test func `when the writer dies, another node continues with everything that was acknowledged`() throws {
        let cluster = try ChatCluster()
        let first = try begin(cluster)
        for number in 1...10 { try send("\(number)", cluster, on: first) }
        cluster.nodes[first].kill()
        let others = [0, 1, 2].filter { $0 != first }
        let second = try cluster.writer(among: others)
        for number in 11...20 { try send("\(number)", cluster, on: second) }
        let states = { try others.map { try cluster.nodes[$0].state() } }
        try cluster.wait { (try? states()).map { $0[0] == $0[1] } ?? false }
        try cluster.replace(first)
        try cluster.wait { (try? cluster.nodes[first].state() == states()[0]) ?? false }
    }

    @Test func `a writer that lost contact acknowledges nothing, and leaves once it learns of the next term`() throws {
        let cluster = try ChatCluster()
        let first = try begin(cluster)
        cluster.nodes[first].setCut(true)
        #expect(!cluster.answer(SendMessage(channelID: channel(), text: "unseen"), as: ada, on: first))
        let second = try cluster.writer(among: [0, 1, 2].filter { $0 != first })
        try send("seen", cluster, on: second)
        cluster.nodes[first].setCut(false)
        try cluster.wait { cluster.nodes[first].failure != nil }
        guard case .deposed = cluster.nodes[first].failure else {
            Issue.record("not deposed")
            return
        }
        #expect(!cluster.nodes[first].port.events.contains("general 3"))
    }

    @Test func `a writer that stops in order hands over, and the others have exactly what it accepted`() throws {
        let cluster = try ChatCluster()
        let first = try begin(cluster)
        let others = [0, 1, 2].filter { $0 != first }
        for index in others { cluster.nodes[index].attach(ben) }
        try cluster.wait { others.allSatisfy { cluster.nodes[$0].port.events.contains("attached") } }
        let accepted = Atomic(0)
        let answered = Atomic(0)
        let isReleased = Atomic(false)
        for number in 1...20 {
            let message = SendMessage(channelID: channel(), text: "\(number)")
            cluster.nodes[first].change(message, as: ada) { answer in
                if case .success = answer { accepted.add(1, ordering: .relaxed) }
                answered.add(1, ordering: .relaxed)
            }
            if number == 10 { cluster.nodes[first].handOver { isReleased.store(true, ordering: .relaxed) } }
        }
        let second = try cluster.writer(among: others)
        try cluster.wait { isReleased.load(ordering: .relaxed) && answered.load(ordering: .relaxed) == 20 }
        #expect(cluster.nodes[first].failure == nil)
        try send("after", cluster, on: second)
        let expected = (0...accepted.load(ordering: .relaxed)).map { "general \($0 + 3)" }
        try cluster.wait {
            others.allSatisfy {
                cluster.nodes[$0].port.events.filter { $0.hasPrefix("general") }.suffix(expected.count) == expected[...]
            }
        }
    }

    @Test func `nodes wait for a log that nobody has created yet`() throws {
        let cluster = try ChatCluster(firstFrame: nil)
        // Longer than a follower waits before it stands for election.
        usleep(3_000_000)
        #expect(cluster.nodes.allSatisfy { !$0.isWriter && $0.failure == nil })
        cluster.create(1)
        _ = try begin(cluster)
    }

    @Test func `a node that lacks frames before the log's first one leaves`() throws {
        let cluster = try ChatCluster(firstFrame: 7)
        try cluster.wait { cluster.nodes.allSatisfy { $0.failure != nil } }
    }
}
