import Simulation
import TestSupport
import Testing

@testable import Replication

@Suite struct ClusterTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func `a new cluster has a writer within 1.2 s`(seed: UInt64) throws
    {
        let scene = try ClusterScene(seed: seed)
        #expect(try #require(try scene.timeToWrite(limit: 5_000)) <= 1_200)
        try scene.run(milliseconds: 5_000)
        #expect(scene.nodes.allSatisfy { $0.replica.status.term == scene.nodes[0].replica.status.term })
        #expect(scene.nodes.allSatisfy { $0.replica.status.isReady })
        try scene.check(seed)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `when the writer is killed, another writes within 1.2 s`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        for _ in 0..<4 {
            try scene.run(milliseconds: 2_000 + scene.random.below(500))
            let writer = try #require(scene.writer)
            scene.nodes[writer].kill()
            let time = try #require(try scene.timeToWrite(limit: 5_000))
            #expect(time <= 1_200)
            try scene.restart(writer)
        }
        try scene.check(seed)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `when the writer is stopped, another writes within 3.5 s, and the old one is deposed`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 2_000 + scene.random.below(500))
        let writer = try #require(scene.writer)
        let process = scene.nodes[writer]
        process.stop()
        let time = try #require(try scene.timeToWrite(limit: 5_000))
        #expect(time <= 3_500)
        try scene.run(milliseconds: 8_000 - time)
        process.resume()
        try scene.run(milliseconds: 1_000)
        guard case .deposed = process.failure else {
            Issue.record("not deposed")
            return
        }
        #expect(scene.writer != writer)
        try scene.check(seed)
    }

    @Test func `when the writer hands over, 99 % of the pauses are at most 50 ms`() throws {
        var pauses: [Int] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            // As in a server, what waits fits into one message.
            let scene = try ClusterScene(seed: seed, messageLimit: 100_000)
            try scene.run(milliseconds: 2_000)
            for _ in 0..<5 {
                let writer = try #require(scene.writer)
                let process = scene.nodes[writer]
                let term = process.replica.status.term
                process.handOver()
                pauses.append(try #require(try scene.timeToWrite(limit: 5_000)))
                try scene.run(milliseconds: 500)
                #expect(process.isReleased)
                #expect(process.failure == nil, "it left in peace")
                #expect(scene.nodes.allSatisfy { $0.replica.status.term == term + 1 })
            }
            try scene.check(seed)
        }
        #expect(pauses.count { $0 > 50 } <= pauses.count / 100, "\(pauses.sorted().suffix(10))")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a handover without followers ends at once, and one without an answer after 2 s`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 2_000)
        let writer = try #require(scene.writer)
        let process = scene.nodes[writer]
        for index in 0..<3 where index != writer { scene.nodes[index].stop() }
        process.handOver()
        scene.timeline.run(milliseconds: 1_900)
        #expect(!process.isReleased)
        scene.timeline.run(milliseconds: 200)
        #expect(process.isReleased)
        let other = try ClusterScene(seed: seed)
        try other.run(milliseconds: 2_000)
        let last = try #require(other.writer)
        for index in 0..<3 where index != last { other.nodes[index].kill() }
        // What was decided is in the log by then.
        other.timeline.run(milliseconds: 3_100)
        other.nodes[last].handOver()
        other.timeline.run(milliseconds: 1)
        #expect(other.nodes[last].isReleased)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `without a quorum nothing is written, what waits 20 s is reported once, and afterwards it goes on`(
        seed: UInt64
    ) throws {
        let scene = try ClusterScene(seed: seed, messageLimit: 100_000)
        try scene.run(milliseconds: 2_000)
        let writer = try #require(scene.writer)
        let count = scene.store.entries.count
        let engine = scene.nodes[writer].engine
        scene.store.isAvailable = false
        try scene.run(milliseconds: 19_000)
        #expect(engine.late == [])
        try scene.run(milliseconds: 11_000)
        #expect(scene.store.entries.count == count)
        let late = engine.late
        #expect(!late.isEmpty)
        scene.store.isAvailable = true
        #expect(try #require(try scene.timeToWrite(limit: 5_000)) <= 1_500)
        #expect(scene.writer == writer)
        #expect(engine.late == late)
        #expect(Set(late).count == late.count)
        #expect(Set(late).isSubset(of: engine.acknowledged), "all of it was stored in the end")
        scene.store.isAvailable = false
        try scene.run(milliseconds: 25_000)
        #expect(engine.late.starts(with: late) && engine.late.count > late.count)
        #expect(Set(engine.late).count == engine.late.count)
        try scene.check(seed)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a node whose clock is off is never the writer`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed, clockOffsets: ["ann": seed % 2 == 0 ? 3_600_000 : -1_100])
        for _ in 0..<4 {
            #expect(try scene.timeToWrite(limit: 5_000) != nil)
            let writer = try #require(scene.writer)
            #expect(writer != 0)
            try scene.run(milliseconds: 500)
            let problems = scene.nodes[writer].replica.status.problems
            #expect(problems.contains { if case .clockOff(let id, _) = $0 { id.name == "ann" } else { false } })
            try scene.restart(writer)
        }
        try scene.check(seed)
    }

    /// Several candidates append the start of the same term after the same message.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func `of a hundred duels, each has one winner`(seed: UInt64) throws
    {
        for seed in 100 * seed..<100 * seed + 100 {
            let scene = try ClusterScene(seed: seed)
            var mix = SplitMix(seed: seed)
            scene.store.faults = SimulatedLogStore.Faults(using: &mix)
            // Without a term, all three become candidates in the same moment.
            scene.timeline.run(milliseconds: 850 + scene.random.below(4_000))
            try scene.check(seed)
            try scene.heal()
            #expect(try scene.timeToWrite(limit: 5_000) != nil, "seed \(seed)")
            #expect(scene.writer != nil, "seed \(seed)")
            try scene.check(seed)
        }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `under faults of all kinds, nothing acknowledged is lost, and the nodes apply the same`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        var mix = SplitMix(seed: seed)
        scene.store.faults = SimulatedLogStore.Faults(using: &mix)
        scene.bus.faults = SimulatedBus.Faults(using: &mix)
        for _ in 0..<25 {
            try scene.run(milliseconds: 100 + scene.random.below(1_500))
            try trouble(scene)
        }
        try scene.check(seed)
        try scene.heal()
        try scene.run(milliseconds: 2_000)
        #expect(try scene.timeToWrite(limit: 3_500) != nil, "seed \(seed)")
        try scene.run(milliseconds: 1_000)
        scene.timeline.run(milliseconds: 1_000)
        try scene.check(seed)
        let counts = scene.nodes.map(\.engine.journaled.count)
        #expect(counts == Array(repeating: counts[0], count: 3), "seed \(seed)")
        if seed % 10 == 0 { try scene.checkDisks() }
    }

    /// Begins or ends a fault.
    private func trouble(_ scene: ClusterScene) throws {
        let index = scene.random.below(3)
        let process = scene.nodes[index]
        switch scene.random.below(10) {
        case 0, 1: try scene.restart(index)
        case 2: process.stop()
        case 3: process.resume()
        case 4: process.setCut(true)
        case 5: process.setCut(false)
        case 6: process.setSide(scene.random.below(2))
        case 7: scene.store.isAvailable.toggle()
        case 8: process.handOver()
        default: try scene.reconnect()
        }
    }

    @Test(arguments: [5, 6] as [UInt64]) func `the same seed gives the same run`(seed: UInt64) throws {
        func trace() throws -> (entries: [LogEntry], processes: [[UInt64]]) {
            let scene = try ClusterScene(seed: seed)
            var mix = SplitMix(seed: seed)
            scene.store.faults = SimulatedLogStore.Faults(using: &mix)
            scene.bus.faults = SimulatedBus.Faults(using: &mix)
            for _ in 0..<10 {
                try scene.run(milliseconds: 500 + scene.random.below(1_000))
                try trouble(scene)
            }
            let processes = scene.processes.map { process in
                let status = process.replica.status
                return process.engine.journaled + process.engine.acknowledged + [
                    process.id.start, status.term, status.lastMessage, status.appliedFrame, UInt64(status.lag),
                    UInt64(status.storeSilence), UInt64(status.busSilence), UInt64(status.nodes.count),
                ]
            }
            return (scene.store.entries, processes)
        }
        let (first, second) = (try trace(), try trace())
        let isSame = first.entries == second.entries
        #expect(isSame)
        #expect(first.processes == second.processes)
    }
}
