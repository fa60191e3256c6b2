import Simulation
import TestSupport
import Testing

@testable import Replication

@Suite struct ClusterTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func `a new cluster has a writer within 1.2 s`(seed: UInt64) throws
    {
        let scene = ClusterScene(seed: seed)
        #expect(try #require(scene.timeToWrite(limit: 5_000)) <= 1_200)
        scene.run(milliseconds: 5_000)
        #expect(scene.nodes.allSatisfy { $0.election.term?.number == scene.nodes[0].election.term?.number })
        try scene.check(seed)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `when the writer is killed, another writes within 1.2 s`(seed: UInt64) throws {
        let scene = ClusterScene(seed: seed)
        for _ in 0..<4 {
            scene.run(milliseconds: 2_000 + scene.random.below(500))
            let writer = try #require(scene.writer)
            scene.nodes[writer].kill()
            let time = try #require(scene.timeToWrite(limit: 5_000))
            #expect(time <= 1_200)
            scene.restart(writer)
        }
        try scene.check(seed)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `when the writer is stopped, another writes within 3.5 s, and the old one is deposed`(seed: UInt64) throws {
        let scene = ClusterScene(seed: seed)
        scene.run(milliseconds: 2_000 + scene.random.below(500))
        let writer = try #require(scene.writer)
        let process = scene.nodes[writer]
        process.stop()
        let time = try #require(scene.timeToWrite(limit: 5_000))
        #expect(time <= 3_500)
        scene.run(milliseconds: 8_000 - time)
        process.resume()
        scene.run(milliseconds: 1_000)
        #expect(process.election.role == .follower || process.mustEnd)
        #expect(scene.writer != writer)
        try scene.check(seed)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `when the writer hands over, nobody waits longer than 50 ms`(seed: UInt64) throws {
        let scene = ClusterScene(seed: seed)
        scene.run(milliseconds: 2_000)
        for _ in 0..<5 {
            let writer = try #require(scene.writer)
            for _ in 0..<1_000 where !scene.nodes[writer].isIdle { scene.timeline.run(milliseconds: 1) }
            let successor = (writer + 1) % 3
            scene.nodes[writer].handOver(to: scene.nodes[successor].id)
            #expect(try #require(scene.timeToWrite(limit: 5_000)) <= 50)
            #expect(scene.writer == successor)
            scene.run(milliseconds: 500)
            #expect(scene.nodes[writer].election.role == .follower)
        }
        try scene.check(seed)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `without a quorum nothing is written, and afterwards it goes on`(seed: UInt64) throws {
        let scene = ClusterScene(seed: seed)
        scene.run(milliseconds: 2_000)
        let writer = try #require(scene.writer)
        let count = scene.store.entries.count
        scene.store.isAvailable = false
        scene.run(milliseconds: 30_000)
        #expect(scene.store.entries.count == count)
        scene.store.isAvailable = true
        #expect(try #require(scene.timeToWrite(limit: 5_000)) <= 1_500)
        #expect(scene.writer == writer)
        try scene.check(seed)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a node whose clock is off is never the writer`(seed: UInt64) throws {
        let scene = ClusterScene(seed: seed)
        scene.nodes[0].clockDifferences = [3_600_000, 3_600_000]
        for index in 1...2 { scene.nodes[index].clockDifferences = [-3_600_000, 0] }
        for _ in 0..<4 {
            #expect(scene.timeToWrite(limit: 5_000) != nil)
            let writer = try #require(scene.writer)
            #expect(writer != 0)
            scene.restart(writer)
            scene.nodes[writer].clockDifferences = [-3_600_000, 0]
        }
        try scene.check(seed)
    }

    /// Several candidates append the start of the same term after the same message.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func `of a hundred duels, each has one winner`(seed: UInt64) throws
    {
        for seed in 100 * seed..<100 * seed + 100 {
            let scene = ClusterScene(seed: seed)
            var mix = SplitMix(seed: seed)
            scene.store.faults = SimulatedLogStore.Faults(using: &mix)
            // Without a term, all three become candidates in the same moment.
            scene.timeline.run(milliseconds: 850 + scene.random.below(4_000))
            try scene.check(seed)
            scene.heal()
            #expect(scene.timeToWrite(limit: 5_000) != nil, "seed \(seed)")
            #expect(scene.writer != nil, "seed \(seed)")
            try scene.check(seed)
        }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `under faults of all kinds, nothing acknowledged is lost, and the nodes apply the same`(seed: UInt64) throws {
        let scene = ClusterScene(seed: seed)
        var mix = SplitMix(seed: seed)
        scene.store.faults = SimulatedLogStore.Faults(using: &mix)
        scene.bus.faults = SimulatedBus.Faults(using: &mix)
        for _ in 0..<25 {
            scene.run(milliseconds: 100 + scene.random.below(1_500))
            trouble(scene)
        }
        try scene.check(seed)
        scene.heal()
        scene.run(milliseconds: 2_000)
        #expect(scene.timeToWrite(limit: 3_500) != nil, "seed \(seed)")
        scene.run(milliseconds: 1_000)
        scene.timeline.run(milliseconds: 1_000)
        try scene.check(seed)
        let counts = scene.nodes.map(\.frames.count)
        #expect(counts == Array(repeating: counts[0], count: 3), "seed \(seed)")
    }

    /// Begins or ends a fault.
    private func trouble(_ scene: ClusterScene) {
        let index = scene.random.below(3)
        let process = scene.nodes[index]
        switch scene.random.below(10) {
        case 0, 1: scene.restart(index)
        case 2: process.stop()
        case 3: process.resume()
        case 4: process.setCut(true)
        case 5: process.setCut(false)
        case 6: process.setSide(scene.random.below(2))
        case 7: scene.store.isAvailable.toggle()
        case 8: if process.isIdle { process.handOver(to: scene.nodes[(index + 1) % 3].id) }
        default: scene.reconnect()
        }
    }

    @Test func `the same seed gives the same log`() {
        func entries() -> [LogEntry] {
            let scene = ClusterScene(seed: 5)
            var mix = SplitMix(seed: 5)
            scene.store.faults = SimulatedLogStore.Faults(using: &mix)
            scene.run(milliseconds: 5_000)
            return scene.store.entries
        }
        let isSame = entries() == entries()
        #expect(isSame)
    }
}
