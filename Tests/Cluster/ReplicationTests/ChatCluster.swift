import ChatDomain
import ChatModel
import ClusterSupport
import Dispatch
import Foundation
import Gateway
import Synchronization
import Testing

@testable import Replication

func user(_ name: String) -> UserID {
    guard let user = UserID(name) else { preconditionFailure("a user id") }
    return user
}

let ada = user("ada")
let ben = user("ben")

func channel() -> ChannelID {
    guard let channel = ChannelID("general") else { preconditionFailure("a channel id") }
    return channel
}

/// Three nodes with chats, a shared log and a bus, on real queues and files.
final class ChatCluster {
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

    /// Waits for the first writer and creates a channel.
    func begin() throws -> Int {
        let writer = try writer()
        try change(CreateChannel(id: channel(), isPublic: true), as: ada, on: writer)
        try change(JoinChannel(channelID: channel()), as: ben, on: writer)
        return writer
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

    /// Waits until another node is the writer, and asks for it again and again: a follower that gets no processor for two
    /// seconds does not take over in time, and the writer goes on.
    func handOver(from first: Int) throws -> Int {
        let isAsking = Atomic(false)
        try wait {
            if !nodes[first].isWriter { return true }
            if !isAsking.exchange(true, ordering: .relaxed) {
                nodes[first].handOver { isAsking.store(false, ordering: .relaxed) }
            }
            return false
        }
        return try writer(among: nodes.indices.filter { $0 != first })
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

    /// Runs a command once, on any node, and waits for its answer.
    func run(
        _ change: some Change, as user: UserID, on index: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        try wait(sourceLocation) { nodes[index].change(change, as: user, $0) }
    }

    /// Runs a command of the app's backend once.
    func run(
        server change: some Change, on index: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        try wait(sourceLocation) { nodes[index].change(server: change, $0) }
    }

    /// Runs a query once, as an HTTP request does, and waits for its answer.
    func run(
        _ query: some Query, as user: UserID, on index: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        try wait(sourceLocation) { nodes[index].query(query, as: user, $0) }
    }

    private func wait(
        _ sourceLocation: SourceLocation, _ start: (@escaping @Sendable (Answer) -> Void) -> Void
    ) throws -> Answer {
        let received = Mutex<Answer?>(nil)
        start { answer in received.withLock { $0 = answer } }
        try wait(sourceLocation: sourceLocation) { received.withLock { $0 != nil } }
        let answer = received.withLock { $0 }
        return try #require(answer)
    }
}
