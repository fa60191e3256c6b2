import ChatModel
import ClusterSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Replication

@Suite struct ReplicatedChatTests {
    private func send(_ text: String, _ cluster: ChatCluster, on index: Int) throws {
        // With an id, because a command is repeated if its answer is late.
        try cluster.change(SendMessage(channelID: channel(), text: text, clientID: text), as: ada, on: index)
    }

    @Test func `every node delivers the writer's events to its own connections, in order`() throws {
        let cluster = try ChatCluster()
        let writer = try cluster.begin()
        try cluster.wait { (try? cluster.nodes.map { try $0.state() }).map { Set($0).count == 1 } ?? false }
        for node in cluster.nodes { node.attach(ben) }
        try cluster.wait { cluster.nodes.allSatisfy { $0.port.events.contains("attached") } }
        try send("one", cluster, on: writer)
        try cluster.wait { cluster.nodes.allSatisfy { $0.port.events.contains("general 3") } }
        for number in 2...20 { try send("\(number)", cluster, on: writer) }
        let expected = (3...22).map { "general \($0)" }
        try cluster.wait { cluster.nodes.allSatisfy { $0.port.events.filter { $0.hasPrefix("general") } == expected } }
    }

    @Test func `when the writer dies, another node continues with everything that was acknowledged`() throws {
        let cluster = try ChatCluster()
        let first = try cluster.begin()
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
        let first = try cluster.begin()
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
        let first = try cluster.begin()
        let others = [0, 1, 2].filter { $0 != first }
        for index in others { cluster.nodes[index].attach(ben) }
        try cluster.wait { others.allSatisfy { cluster.nodes[$0].port.events.contains("attached") } }
        // A writer that knows no follower has nobody to hand over to.
        try cluster.wait {
            cluster.nodes[first].status.live.count { $0.beat.role == .follower } == others.count
        }
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
        try cluster.wait { isReleased.load(ordering: .relaxed) && answered.load(ordering: .relaxed) == 20 }
        let second = try cluster.handOver(from: first)
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
        _ = try cluster.begin()
    }

    @Test func `a node that lacks frames before the log's first one leaves`() throws {
        let cluster = try ChatCluster(firstFrame: 7)
        try cluster.wait { cluster.nodes.allSatisfy { $0.failure != nil } }
    }
}
