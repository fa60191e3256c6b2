import Simulation
import Testing

@testable import Replication

/// Who is a node, on simulated time.
@Suite struct MembershipTests {
    private func scene(seed: UInt64 = 1) throws -> ClusterScene {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 2_000)
        return scene
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a second process of a name leaves after 3 s, and the first one stays`(seed: UInt64) throws {
        let scene = try scene(seed: seed)
        let index = Int(seed % 3)
        let first = scene.nodes[index]
        let second = try scene.start(first.id.name)
        scene.timeline.run(milliseconds: 2_900)
        #expect(second.failure == nil)
        #expect(!second.replica.status.isReady)
        scene.timeline.run(milliseconds: 700)
        guard case .nameTaken = second.failure else {
            Issue.record("\(String(describing: second.failure))")
            return
        }
        #expect(first.failure == nil)
        // Nobody heard of it.
        let known = scene.nodes[(index + 1) % 3].replica.status.nodes.map(\.beat.node)
        #expect(!known.contains(second.id))
        second.kill()
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a process takes over the name of one that is stopped, which leaves once it continues`(seed: UInt64) throws {
        let scene = try scene(seed: seed)
        let index = Int(seed % 3)
        let first = scene.nodes[index]
        first.stop()
        let second = try scene.start(first.id.name)
        scene.timeline.run(milliseconds: 2_900)
        #expect(!second.replica.status.isNode)
        scene.timeline.run(milliseconds: 600)
        #expect(second.replica.status.isNode)
        #expect(second.failure == nil)
        first.resume()
        scene.timeline.run(milliseconds: 600)
        switch first.failure {
        case .nameTaken, .deposed: break
        default: Issue.record("\(String(describing: first.failure))")
        }
        #expect(second.failure == nil)
        second.kill()
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a restarted node is a node again within 300 ms`(seed: UInt64) throws {
        let scene = try scene(seed: seed)
        let index = try (Int(#require(scene.writer)) + 1) % 3
        try scene.restart(index)
        scene.timeline.run(milliseconds: 300)
        #expect(scene.nodes[index].replica.status.isReady)
        scene.timeline.run(milliseconds: 300)
        let status = scene.nodes[(index + 1) % 3].replica.status
        #expect(status.problems == [])
        #expect(status.nodes.map(\.beat.node).contains(scene.nodes[index].id))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a node with frames that the log has lost leaves`(seed: UInt64) throws {
        let scene = try scene(seed: seed)
        try scene.run(milliseconds: 500)
        for process in scene.nodes { process.kill() }
        let frames = scene.nodes[0].engine.journaled.count
        try #require(frames > 5)
        scene.store.loseLast(max(1, scene.store.entries.count / 2))
        let process = try scene.start("ann", after: scene.nodes[0])
        #expect(process.engine.applied == frames)
        scene.timeline.run(milliseconds: 1_000)
        guard case .aheadOfLog = process.failure else {
            Issue.record("\(String(describing: process.failure))")
            return
        }
        #expect(process.engine.applied == frames)
        // A node without a journal follows what is left.
        let other = try scene.start("bob")
        scene.timeline.run(milliseconds: 1_500)
        #expect(other.failure == nil)
        #expect(other.isWriter)
    }

    @Test func `a node without contact is not ready at 3 s, and cut off at 15 s`() throws {
        let scene = try scene()
        let index = try (Int(#require(scene.writer)) + 1) % 3
        let (replica, node) = (scene.nodes[index].replica, scene.nodes[index])
        #expect(replica.status.isReady)
        node.setCut(true)
        scene.timeline.run(milliseconds: 2_500)
        #expect(replica.status.isReady)
        scene.timeline.run(milliseconds: 500)
        #expect(!replica.status.isReady)
        scene.timeline.run(milliseconds: 11_500)
        #expect(!replica.status.isCutOff)
        scene.timeline.run(milliseconds: 500)
        #expect(replica.status.isCutOff)
        node.setCut(false)
        try scene.run(milliseconds: 1_000)
        #expect(node.replica.status.isReady)
        #expect(!node.replica.status.isCutOff)
    }

    @Test func `without a quorum no node is ready, and none is cut off`() throws {
        let scene = try scene()
        scene.store.isAvailable = false
        try scene.run(milliseconds: 20_000)
        for node in scene.nodes {
            let status = node.replica.status
            #expect(!status.isReady)
            #expect(!status.isCutOff)
            #expect(status.storeSilence > 15_000)
            #expect(status.busSilence < 1_000)
        }
    }

    @Test func `a node that cannot read what the others have written lags`() throws {
        let scene = try scene()
        let index = try (Int(#require(scene.writer)) + 1) % 3
        let node = scene.nodes[index]
        node.setStoreCut(true)
        try scene.run(milliseconds: 2_000)
        let status = node.replica.status
        #expect(status.lag > 1_000)
        #expect(status.lastMessage > scene.store.entries.count / 2)
        #expect(!status.isReady)
        try scene.run(milliseconds: 16_000)
        #expect(node.replica.status.isCutOff)
        node.setStoreCut(false)
        try scene.run(milliseconds: 2_000)
        #expect(node.replica.status.isReady)
        #expect(node.replica.status.lag < 1_000)
    }

    @Test func `a status shows the writer, the end of the log and the other nodes`() throws {
        let scene = try scene()
        scene.timeline.run(milliseconds: 1_000)
        let writer = try #require(scene.writer)
        for index in 0..<3 {
            let status = scene.nodes[index].replica.status
            #expect(status.role == (index == writer ? .writer : .follower))
            #expect(status.writer == scene.nodes[writer].id.name)
            #expect(status.term == 1)
            #expect(status.lastMessage == scene.store.entries.count)
            #expect(status.lastFrame == scene.nodes[index].engine.journaled.count)
            #expect(status.appliedFrame == status.lastFrame)
            #expect(status.lag == 0)
            #expect(status.nodes.map(\.beat.node) == [0, 1, 2].filter { $0 != index }.map { scene.nodes[$0].id })
            #expect(status.problems == [])
        }
    }
}
