import Foundation
import Simulation
import Testing

/// Three whole servers that share a log, under simulated faults. `belfry-simulate --nodes 3 --seed N` repeats one run.
@Suite struct ClusterSimulationTests {
    /// Fixed seeds, and as many new ones. `BELFRY_SIMULATION_SEEDS` sets the number of fixed seeds and omits new ones.
    static let seeds: [UInt64] = {
        if let count = ProcessInfo.processInfo.environment["BELFRY_SIMULATION_SEEDS"].flatMap({ UInt64($0) }) {
            return Array(1...max(1, count))
        }
        let fresh = UInt64.random(in: 1_000_000..<1_000_000_000)
        print("simulated: three nodes, seeds 1 to 10 and \(fresh) to \(fresh + 9)")
        return Array(1...10) + Array(fresh..<fresh + 10)
    }()

    static let options = {
        var options = SimulatorOptions()
        options.steps = 40
        options.nodes = 3
        return options
    }()

    @Test(arguments: seeds) func `no fault of nodes, log or bus breaks a guarantee of the cluster`(seed: UInt64) {
        let violations = Self.options.run(seed: seed).violations()
        #expect(violations.isEmpty, "belfry-simulate --seed \(seed) --steps 40 --nodes 3: \(violations)")
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `the same seed gives the same history of three nodes, bit for bit`(
        seed: UInt64
    ) {
        #expect(Self.options.run(seed: seed).traceHash == Self.options.run(seed: seed).traceHash)
    }

    @Test func `a seed gives the same history of three nodes in every process`() throws {
        let here = Self.options.run(seed: 7).traceHash
        let there = try SimulationTests.printed("--seed", "7", "--steps", "40", "--nodes", "3")
        #expect(there.contains("trace \(here) "), "\(there)")
    }

    @Test func `every kind of fault of a cluster occurs`() {
        var total = Tally()
        for seed in 1...20 as ClosedRange<UInt64> { total.add(Tally(Self.options.run(seed: seed).history)) }
        let counts = [
            total.terms, total.relays, total.nodeLives, total.stops, total.contactChanges, total.reads, total.powerCuts,
            total.kills, total.closes, total.connections, total.recoveries,
        ]
        #expect(counts.allSatisfy { $0 > 10 }, "\(total)")
        #expect(total.localReads > 0)
        #expect(total.departures > 0)
    }
}
