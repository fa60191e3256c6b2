import Simulation
import Testing

@testable import Replication

/// A writer that the others do not hear answers reads only as long as no other node decides.
@Suite struct LeaseTests {
    /// Runs three nodes until another than the first writer decides, and watches both.
    ///
    /// - Parameter cut: Makes the other nodes not hear the writer.
    private func expectOneWriter(_ seed: UInt64, _ cut: (ClusterScene, ClusterNode) throws -> Void) throws {
        let scene = try ClusterScene(seed: seed)
        _ = try scene.timeToWrite(limit: 5_000)
        try scene.run(milliseconds: 500)
        let first = scene.nodes[try #require(scene.writer)]
        try cut(scene, first)
        var others: [ClusterNode] { scene.nodes.filter { $0.id != first.id } }
        var elapsed = 0
        while !others.contains(where: { $0.replica.isLeading }) || elapsed % 1_000 != 0 {
            scene.timeline.run(milliseconds: 1)
            elapsed += 1
            try #require(elapsed < 20_000, "seed \(seed): nobody took over")
            guard others.contains(where: { $0.replica.isLeading }) else { continue }
            let readsLocally = first.role == .writer && first.failure == nil && first.replica.isTermCurrent
            #expect(!readsLocally, "seed \(seed): two nodes are sure that they are the writer")
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `without the bus, and with a log that shows it nothing new by itself`(seed: UInt64) throws {
        try expectOneWriter(seed) { scene, first in
            scene.store.faults.lostPublications = 100
            first.setSide(1)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `without the bus, and with reads from copies of the log that are behind`(seed: UInt64) throws {
        try expectOneWriter(seed) { scene, first in
            scene.store.faults.lostPublications = 100
            scene.store.faults.staleReads = 80
            first.setSide(1)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `while it hands over to a node whose term it has not read`(seed: UInt64) throws {
        try expectOneWriter(seed) { scene, first in
            scene.store.faults.lostPublications = 100
            scene.store.faults.staleReads = 80
            first.replica.handOver { _ in }
        }
    }
}
