import Records
import Simulation
import Testing

@testable import Replication

/// Which version of records the writer writes, on simulated time.
@Suite struct RecordVersionTests {
    private let newest = RecordCoder.version

    /// The record versions of the log's messages, without repetitions.
    private func versions(_ scene: ClusterScene) throws -> [UInt32] {
        var versions: [UInt32] = []
        for entry in scene.store.entries {
            let version = try LogMessage(entry.message).recordVersion
            if versions.last != version { versions.append(version) }
        }
        return versions
    }

    private func statuses(_ scene: ClusterScene) -> [UInt32] { scene.nodes.map(\.replica.status.recordVersion) }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `nodes that all read the newest version write it once they must have heard each other`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 2_900)
        #expect(try versions(scene) == [4])
        #expect(scene.writer != nil)
        try scene.run(milliseconds: 1_000)
        #expect(try versions(scene) == [4, newest])
        #expect(statuses(scene) == [newest, newest, newest])
        try scene.check(seed)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `as long as a live node reads only version 4, no record of a newer version is written`(seed: UInt64) throws {
        let old = ["ann", "bob", "cid"][Int(seed % 3)]
        let scene = try ClusterScene(seed: seed, recordVersions: [old: 4])
        try scene.run(milliseconds: 10_000)
        #expect(try versions(scene) == [4])
        #expect(statuses(scene) == [4, 4, 4])
        let index = try #require(scene.nodes.firstIndex { $0.id.name == old })
        if seed.isMultiple(of: 2) {
            // It is upgraded.
            scene.recordVersions = [:]
            try scene.restart(index)
        } else {
            // It leaves.
            scene.nodes[index].kill()
        }
        try scene.run(milliseconds: 6_000)
        #expect(try versions(scene) == [4, newest])
        try scene.check(seed)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a node that reads only version 4 leaves a log with newer records`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 5_000)
        let index = try (Int(#require(scene.writer)) + 1) % 3
        scene.recordVersions = [scene.nodes[index].id.name: 4]
        try scene.restart(index)
        let process = scene.nodes[index]
        for _ in 0..<100 {
            scene.write()
            scene.timeline.run(milliseconds: 10)
        }
        guard case .newerRecords(version: newest) = process.failure else {
            Issue.record("seed \(seed): \(String(describing: process.failure))")
            return
        }
        // It comes back with a newer Belfry.
        scene.recordVersions = [:]
        try scene.run(milliseconds: 3_000)
        #expect(scene.nodes.allSatisfy { $0.failure == nil })
        #expect(try versions(scene) == [4, newest])
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `the next writer goes on with the version in the log`(seed: UInt64) throws {
        let scene = try ClusterScene(seed: seed)
        try scene.run(milliseconds: 5_000)
        for _ in 0..<3 {
            try scene.restart(#require(scene.writer))
            // Before the new writer could raise the version itself.
            _ = try #require(try scene.timeToWrite(limit: 10_000))
            #expect(try versions(scene) == [4, newest])
        }
        try scene.run(milliseconds: 1_000)
        #expect(statuses(scene) == [newest, newest, newest])
        try scene.check(seed)
    }

    @Test func `a node that hears the others late does not take them for absent`() throws {
        let scene = try ClusterScene(seed: 1, recordVersions: ["cid": 4])
        try scene.run(milliseconds: 4_000)
        let writer = try #require(scene.nodes.first { $0.isWriter })
        // As after an interruption of the bus: only its own beats have come back so far.
        writer.replica.roster = Roster(node: writer.id, facts: writer.replica.facts)
        writer.replica.busHeard = scene.timeline.now
        writer.replica.busSteadySince = scene.timeline.now
        writer.replica.raiseRecordVersion(at: scene.timeline.now)
        #expect(writer.log.recordVersion == 4)
        try scene.run(milliseconds: 8_000)
        #expect(try versions(scene) == [4])
    }

    @Test func `the bus counts as steady from the first message after a second without any`() throws {
        let scene = try ClusterScene(seed: 1)
        try scene.run(milliseconds: 4_000)
        // A writer would be replaced.
        let node = scene.nodes[try (Int(#require(scene.writer)) + 1) % 3]
        let since = node.replica.busSteadySince
        #expect(since < 100)
        node.setCut(true)
        scene.timeline.run(milliseconds: 500)
        node.setCut(false)
        scene.timeline.run(milliseconds: 700)
        #expect(node.replica.busSteadySince == since)
        node.setCut(true)
        scene.timeline.run(milliseconds: 2_000)
        let cut = scene.timeline.now
        node.setCut(false)
        scene.timeline.run(milliseconds: 700)
        #expect(node.replica.busSteadySince >= cut)
    }

    // MARK: Parts

    @Test func `the common version is the least that live nodes read`() {
        func beat(_ name: String, _ version: UInt32) -> NodeBeat {
            NodeBeat(node: node(name), clock: 0, facts: NodeBeat.Facts(recordVersion: version))
        }
        var roster = Roster(node: ann, facts: NodeBeat.Facts(recordVersion: 5))
        #expect(roster.commonRecordVersion(at: 0) == 5)
        roster.receive(beat("bob", 4), at: 0, wallClock: 0)
        roster.receive(beat("cid", 6), at: 1_000, wallClock: 0)
        #expect(roster.commonRecordVersion(at: 2_999) == 4)
        #expect(roster.commonRecordVersion(at: 3_000) == 5)
    }

    @Test func `a queue names a newer version in the messages after the one under way, and never an older one`() throws
    {
        let log = WrittenLog()
        var queue = AppendQueue(cluster: cluster, writer: ann, after: log.end, recordVersion: 4)
        var versions: [UInt32] = []
        var number = log.next
        func append() throws {
            guard case .append(let message, _, _)? = queue.next(at: 0) else { throw CancellationError() }
            queue.raise(recordVersion: number == log.next ? 5 : 3)
            versions.append(try LogMessage(message).recordVersion)
            guard case .stored = queue.appended(.stored(number), at: 0) else { throw CancellationError() }
            number += 1
        }
        try append()
        for serial in 1...2 as ClosedRange<UInt64> {
            queue.append(frame(serial), at: 0)
            try append()
        }
        #expect(versions == [4, 5, 5])
    }

    @Test func `a reader knows the newest version that it has read`() throws {
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        #expect(reader.recordVersion == 0)
        var log = WrittenLog()
        for version in [4, 6, 5] as [UInt32] {
            log.append([], recordVersion: version)
        }
        var read: [UInt32] = []
        for entry in log.entries {
            _ = try reader.receive(entry)
            read.append(reader.recordVersion)
        }
        #expect(read == [4, 4, 6, 6])
    }
}
