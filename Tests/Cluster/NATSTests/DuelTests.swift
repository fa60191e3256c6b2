#if Cluster
import ChatModel
import Foundation
import Gateway
import LiveServers
import Replication
import Testing

@testable import NATS

/// Candidates that begin the same term at the same time while the writer before them goes on, on three real servers.
///
/// `BELFRY_DUELS` is the number of duels, and `BELFRY_DUEL_SEED` repeats a run.
@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct DuelTests {
    private static let cluster = "test"

    /// What became of a message.
    private enum Outcome {
        case stored(LogEntry)
        case lost
    }

    private struct Node {
        let id: NodeID
        let client: Client
        let store: JetStreamStore
    }

    private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap(Int.init) }

    private static func milliseconds() -> Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    private func node(_ name: String, _ servers: [NATSServer]) async throws -> Node {
        let client = try Client(servers)
        return Node(
            id: try #require(NodeID(name: name, start: 1)), client: client, store: try await client.log(replicas: 3))
    }

    /// Carries out what the queue asks for, until its next message is in the log or another one is there.
    private func drive(_ queue: inout AppendQueue, _ store: JetStreamStore) async throws -> Outcome {
        let deadline = Self.milliseconds() + 60_000
        while true {
            try #require(Self.milliseconds() < deadline, "neither stored nor lost within 60 s")
            let progress: AppendQueue.Progress
            switch queue.next(at: Self.milliseconds()) {
            case .append(let message, let last, let id):
                let outcome = await result { store.append(message, expecting: last, id: id, $0) }
                progress = queue.appended(outcome, at: Self.milliseconds())
            case .read(let number):
                let entries = await result { store.read(from: number, bytes: 1, $0) }
                progress = queue.read(entries, at: Self.milliseconds())
            case nil:
                try await Task.sleep(for: .milliseconds(5))
                continue
            }
            switch progress {
            case .waiting: break
            case .stored(let entry, _): return .stored(entry)
            case .lost: return .lost
            }
        }
    }

    private func frame(_ number: UInt64, by node: NodeID) -> LogFrame {
        LogFrame(LogFrame.Tag(origin: node, serial: 0, id: MessageID(high: number, low: ~number)), payload: [1, 2, 3])
    }

    /// Creates the log, whose first message belongs to the term before all others.
    private func create(_ node: Node) async throws -> LogEntry {
        let genesis = LogMessage.genesis(cluster: Self.cluster, by: node.id, firstFrame: 1, recordVersion: 4)
        let entry = LogEntry(number: 1, message: genesis.encoded())
        try await eventually {
            await result { node.store.append(entry.message, expecting: 0, id: "genesis", $0) } == .stored(1)
        }
        return entry
    }

    @Test func `each term has one writer, and what it does is in the log before the next term or never`() async throws {
        let servers = try NATSServer.cluster()
        var nodes: [Node] = []
        for name in ["ann", "bob", "cid"] { nodes.append(try await node(name, servers)) }
        var reader = LogReader(cluster: Self.cluster, next: 1, lastFrame: 0)
        _ = try reader.receive(try await create(nodes[0]))
        let seed = Self.setting("BELFRY_DUEL_SEED") ?? Int.random(in: 0..<1_000_000)
        print("duels with seed \(seed)")
        var random = UInt64(seed)
        func below(_ bound: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % bound
        }

        var writer: (node: Int, queue: AppendQueue)?
        var duels = 0
        var writers: [NodeID] = []
        var stored: Set<UInt64> = []
        while duels < Self.setting("BELFRY_DUELS") ?? 50 {
            let end = try #require(reader.end)
            duels += 1
            // The writer of the term before does not know that others stand for election.
            let pauses = (0..<3).map { _ in below(3) }
            let writes = below(2) == 0
            var outcomes: [(node: Int, queue: AppendQueue, outcome: Outcome)] = []
            try await withThrowingTaskGroup(of: (Int, AppendQueue, Outcome).self) { group in
                for (index, node) in nodes.enumerated() {
                    var queue: AppendQueue
                    if let writer, writer.node == index {
                        guard writes else { continue }
                        queue = writer.queue
                        queue.append(frame(end.lastFrame + 1, by: node.id), at: Self.milliseconds())
                    } else {
                        queue = AppendQueue(cluster: Self.cluster, writer: node.id, after: end, recordVersion: 4)
                    }
                    let first = queue
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(pauses[index]))
                        var queue = first
                        let outcome = try await drive(&queue, node.store)
                        return (index, queue, outcome)
                    }
                }
                for try await outcome in group { outcomes.append(outcome) }
            }
            let winners = outcomes.filter { if case .stored = $0.outcome { true } else { false } }
            try #require(winners.count == 1, "duel \(duels) with seed \(seed)")
            guard let winner = winners.first, case .stored(let entry) = winner.outcome else { return }
            // Everybody reads what the winner stored.
            let read = try #require(try await nodes[(winner.node + 1) % 3].store.read(from: entry.number).get().first)
            try #require(read == entry)
            for step in try reader.receive(read) {
                switch step {
                case .term(let term): writers.append(term.writer)
                case .frame(let frame, _):
                    #expect(stored.insert(frame.number).inserted)
                    #expect(frame.frame.tag.origin == reader.term?.writer)
                case .known, .needs: Issue.record("a message is missing")
                }
            }
            try #require(reader.term?.writer == nodes[winner.node].id)
            writer = (winner.node, winner.queue)
        }
        #expect(UInt64(writers.count) == reader.term?.number)
        #expect(stored.count == Int(reader.lastFrame))
        print("\(duels) duels: \(writers.count) terms, \(stored.count) frames of the writer before")
    }
}
#endif
