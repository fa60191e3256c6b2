import Foundation
import Simulation
import Testing

/// Three whole servers that share a log, under simulated faults. `belfry-simulate --nodes 3 --seed N` repeats one run.
@Suite struct ClusterSimulationTests {
    /// The number of fixed seeds. `BELFRY_SIMULATION_SEEDS` sets another one and omits new seeds.
    private static let fixed = ProcessInfo.processInfo.environment["BELFRY_SIMULATION_SEEDS"].flatMap { UInt64($0) }

    static let seeds: [UInt64] = {
        if let fixed { return Array(1...max(6, fixed)) }
        let fresh = UInt64.random(in: 1_000_000..<1_000_000_000)
        print("simulated: three nodes, seeds 1 to 6, \(fresh) and \(fresh + 1)")
        return Array(1...6) + [fresh, fresh + 1]
    }()

    private static let steps = 25
    private static let options = {
        var options = SimulatorOptions()
        options.steps = steps
        options.nodes = 3
        return options
    }()

    /// The runs of the first six seeds, which several tests examine.
    static let runs = (1...6).map { options.run(seed: $0) }

    private static func run(_ seed: UInt64) -> SimulationResult {
        seed <= 6 ? runs[Int(seed) - 1] : options.run(seed: seed)
    }

    @Test(arguments: seeds) func `no fault of nodes, log or bus breaks a guarantee of the cluster`(seed: UInt64) {
        let violations = Self.run(seed).violations()
        #expect(
            violations.isEmpty, "belfry-simulate --seed \(seed) --steps \(Self.steps) --nodes 3: \(violations)")
    }

    @Test func `the same seed gives the same history of three nodes, bit for bit`() {
        #expect(Self.options.run(seed: 1).traceHash == Self.runs[0].traceHash)
    }

    @Test func `a seed gives the same history of three nodes in every process`() throws {
        let there = try SimulationTests.printed("--seed", "2", "--steps", "\(Self.steps)", "--nodes", "3")
        #expect(there.contains("trace \(Self.runs[1].traceHash) "), "\(there)")
    }

    @Test func `nodes start and end, terms change, and clients use the nodes`() {
        var total = Tally()
        for run in Self.runs { total.add(Tally(run.history)) }
        #expect(total.terms >= Self.runs.count, "\(total)")
        #expect(total.nodeLives > 3 * Self.runs.count, "\(total)")
        let counts = [
            total.relays, total.contactChanges, total.reads, total.connections, total.recoveries, total.kills,
        ]
        #expect(counts.allSatisfy { $0 > 0 }, "\(total)")
    }
}
