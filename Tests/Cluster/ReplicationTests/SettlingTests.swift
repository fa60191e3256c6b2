import Simulation
import Testing

@testable import Replication

/// An orderly stop waits for what the node has decided.
@Suite struct SettlingTests {
    /// Confined to the test's thread, which stands in for the replica's queue.
    private final class Result: @unchecked Sendable {
        var isSettled = false
    }

    /// Returns three nodes, and the writer with a frame that is not in the log yet.
    private func scene(_ seed: UInt64) throws -> (ClusterScene, ClusterNode) {
        let scene = try ClusterScene(seed: seed)
        _ = try scene.timeToWrite(limit: 5_000)
        let writer = scene.nodes[try #require(scene.writer)]
        scene.write()
        for _ in 0..<1_000 where writer.log.isSettled { scene.timeline.run(milliseconds: 1) }
        try #require(!writer.log.isSettled)
        return (scene, writer)
    }

    private func settle(_ node: ClusterNode) -> Result {
        let result = Result()
        node.replica.settle { result.isSettled = true }
        return result
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `until it is in the log`(seed: UInt64) throws {
        let (scene, writer) = try scene(seed)
        scene.store.isAvailable = false
        let result = settle(writer)
        scene.timeline.run(milliseconds: 1_000)
        #expect(!result.isSettled)
        scene.store.isAvailable = true
        scene.timeline.run(milliseconds: 5_000)
        #expect(result.isSettled && writer.log.isSettled && writer.isWriter)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `until another node is the writer`(seed: UInt64) throws {
        let (scene, writer) = try scene(seed)
        writer.setCut(true)
        let result = settle(writer)
        scene.timeline.run(milliseconds: 1_000)
        #expect(!result.isSettled)
        scene.timeline.run(milliseconds: 20_000)
        writer.setCut(false)
        scene.timeline.run(milliseconds: 5_000)
        #expect(result.isSettled && !writer.isWriter)
    }

    @Test func `not at all if it is not the writer`() throws {
        let (scene, writer) = try scene(1)
        let follower = try #require(scene.nodes.first { $0.id != writer.id })
        scene.store.isAvailable = false
        let result = settle(follower)
        scene.timeline.run(milliseconds: 10)
        #expect(result.isSettled)
    }
}
