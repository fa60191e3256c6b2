import Simulation
import Synchronization
import Testing

@testable import Replication

/// What waits for all nodes, on simulated time.
@Suite struct AnnouncedTests {
    /// A scene with a writer, a follower and what the writer has applied.
    private func scene(_ seed: UInt64) throws -> (ClusterScene, writer: ClusterNode, follower: ClusterNode, UInt64) {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 2_000)
        let writer = try #require(scene.writer)
        scene.nodes[(writer + 1) % 3].stop()
        try scene.run(milliseconds: 500)
        let frame = scene.nodes[writer].replica.appliedFrame
        #expect(frame > scene.nodes[(writer + 1) % 3].replica.appliedFrame)
        return (scene, scene.nodes[writer], scene.nodes[(writer + 1) % 3], frame)
    }

    private func wait(_ node: ClusterNode, for frame: UInt64) -> Heard {
        let heard = Heard()
        node.replica.whenEverywhere(frame) { heard.isDone = true }
        return heard
    }

    /// Confined to the test's thread, which stands in for the replica's queue.
    private final class Heard: @unchecked Sendable {
        var isDone = false
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a wait for all nodes ends once the last of them has applied the frame`(seed: UInt64) throws {
        let (scene, writer, follower, frame) = try scene(seed)
        let heard = wait(writer, for: frame)
        try scene.run(milliseconds: 1_000)
        #expect(!heard.isDone)
        follower.resume()
        try scene.run(milliseconds: 400)
        #expect(heard.isDone)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a wait for all nodes ends when the last of them has departed, and when the node ends`(seed: UInt64) throws {
        let (scene, writer, _, frame) = try scene(seed)
        let heard = wait(writer, for: frame)
        try scene.run(milliseconds: 2_000)
        #expect(!heard.isDone)
        try scene.run(milliseconds: 800)
        #expect(heard.isDone)
        let late = wait(writer, for: .max)
        scene.nodes[try #require(scene.writer)].replica.stop()
        scene.timeline.run(milliseconds: 10)
        #expect(late.isDone)
        // Later questions are answered too.
        let later = wait(writer, for: .max)
        scene.timeline.run(milliseconds: 10)
        #expect(later.isDone)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a writer whose clock goes wrong hands over, and does not become the writer again`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 2_000)
        let writer = try #require(scene.writer)
        let process = scene.nodes[writer]
        process.setClock(ahead: seed.isMultiple(of: 2) ? 3_600_000 : -1_500)
        try scene.run(milliseconds: 2_000)
        #expect(scene.writer != writer)
        #expect(process.failure == nil)
        let other = scene.nodes[try #require(scene.writer)]
        other.kill()
        try scene.run(milliseconds: 4_000)
        #expect(scene.writer != nil)
        #expect(scene.writer != writer)
        try scene.check(seed)
    }
}
