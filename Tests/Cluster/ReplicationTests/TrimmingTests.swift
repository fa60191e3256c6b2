import Simulation
import TestSupport
import Testing

@testable import Replication

/// Simulated nodes whose writer drops from the log what all of them have.
@Suite struct TrimmingTests {
    private static let atOnce = TrimPolicy(keep: 0)

    /// The first message that the log still has.
    private func first(_ scene: ClusterScene) -> UInt64 {
        scene.processes.map(\.replica.status.window.first).max() ?? 0
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `whatever fails, nodes that restart at once find what they lack in the log`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed, trimming: Self.atOnce)
        for _ in 0..<6 {
            try scene.run(milliseconds: 4_000 + scene.random.below(3_000))
            let index = scene.random.below(3)
            scene.nodes[index].kill()
            try scene.restart(index)
        }
        try scene.run(milliseconds: 12_000)
        #expect(first(scene) > 1, "seed \(seed): nothing was trimmed")
        #expect(scene.processes.reduce(0) { $0 + $1.replica.status.window.dropped } > 0)
        try scene.check(seed)
        try scene.checkDisks()
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `a node without peers drops nothing, and neither does a log that keeps its messages`(seed: UInt64) throws {
        let alone = try ClusterScene(seed: seed, trimming: Self.atOnce)
        try alone.run(milliseconds: 2_000)
        let writer = try #require(alone.writer)
        for index in 0..<3 where index != writer { alone.nodes[index].kill() }
        // The others' last beats are forgotten.
        alone.timeline.run(milliseconds: 3_100)
        let before = alone.nodes[writer].replica.status.window.dropped
        for _ in 0..<200 {
            alone.write()
            alone.timeline.run(milliseconds: 100)
        }
        #expect(alone.nodes[writer].isWriter)
        #expect(alone.nodes[writer].replica.status.window.dropped == before)
        for policy in [nil, TrimPolicy(keep: 1)] {
            let scene = try ClusterScene(seed: seed, trimming: policy)
            try scene.run(milliseconds: 15_000)
            #expect(scene.processes.allSatisfy { $0.replica.status.window.dropped == 0 })
        }
    }

    @Test func `frames are held in the log for a node that copies them`() throws {
        let scene = try ClusterScene(seed: 3, trimming: Self.atOnce)
        try scene.run(milliseconds: 7_000)
        let writer = try #require(scene.writer)
        let held = scene.nodes[writer].engine.applied
        let follower = scene.nodes[(writer + 1) % 3]
        follower.replica.hold(after: held)
        try scene.run(milliseconds: 20_000)
        #expect(scene.nodes[writer].engine.applied > held + 10)
        // A node with the frames up to there can follow the log.
        let number = first(scene)
        #expect(try LogMessage(scene.store.entries[Int(number) - 1].message).follows(held))
        follower.replica.hold(after: nil)
        try scene.run(milliseconds: 12_000)
        #expect(try !LogMessage(scene.store.entries[Int(first(scene)) - 1].message).follows(held))
    }

    @Test func `a node whose journal ends with another frame than the log has there does not follow it`() throws {
        let (scene, other) = (try ClusterScene(seed: 5), try ClusterScene(seed: 6))
        try other.run(milliseconds: 2_000)
        let writer = try #require(other.writer)
        other.nodes[writer].submit(9_999_999, bytes: 0)
        other.timeline.run(milliseconds: 500)
        let stranger = other.nodes[(writer + 1) % 3]
        #expect(stranger.engine.journaled.last == 9_999_999)
        stranger.kill()
        try scene.run(milliseconds: 1_000)
        while (scene.processes.map(\.engine.applied).max() ?? 0) < stranger.engine.applied + 5 {
            try scene.run(milliseconds: 100)
        }
        let late = try scene.start("dan", after: stranger)
        scene.timeline.run(milliseconds: 2_000)
        guard case .diverged = late.failure else {
            Issue.record("\(String(describing: late.failure))")
            return
        }
    }

    @Test func `a node that was away too long ends, because the log lacks what it needs`() throws {
        let scene = try ClusterScene(seed: 5, trimming: Self.atOnce)
        try scene.run(milliseconds: 3_000)
        let writer = try #require(scene.writer)
        let away = (writer + 1) % 3
        scene.nodes[away].kill()
        let predecessor = scene.nodes[away]
        try scene.run(milliseconds: 20_000)
        let late = try scene.start(predecessor.id.name, after: predecessor)
        scene.timeline.run(milliseconds: 2_000)
        guard case .log(.missingFrames(let first)) = late.failure else {
            Issue.record("\(String(describing: late.failure))")
            return
        }
        #expect(first > predecessor.engine.applied + 1)
    }
}
