import Simulation
import Testing

/// The promise, held through simulated crashes and failures. `belfry-simulate --seed N` plays one of them again.
@Suite struct SimulationTests {
    /// The same ones each time, and as many that nobody has seen before.
    static let seeds: [UInt64] = {
        let fresh = UInt64.random(in: 1_000_000..<1_000_000_000)
        print("simulated: seeds 1 to 150 and \(fresh) to \(fresh + 149)")
        return Array(1...150) + Array(fresh..<fresh + 150)
    }()

    @Test(arguments: seeds) func `nothing acknowledged is lost, whatever happens to the disk and the server`(
        seed: UInt64
    ) {
        let violations = Simulator(seed: seed).run().violations()
        #expect(violations.isEmpty, "belfry-simulate --seed \(seed): \(violations)")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `the same seed gives the same history, bit for bit`(seed: UInt64) {
        #expect(Simulator(seed: seed).run().traceHash == Simulator(seed: seed).run().traceHash)
    }

    @Test func `another seed gives another history`() {
        #expect(Set((1...10).map { Simulator(seed: $0).run().traceHash }).count == 10)
    }

    @Test func `every sort of trouble comes up`() {
        var total = Tally()
        for seed in 1...40 as ClosedRange<UInt64> { total.add(Tally(Simulator(seed: seed).run().history)) }
        let counts = [
            total.powerCuts, total.kills, total.closes, total.failures, total.failedStarts, total.cuts,
            total.withoutSpace, total.recoveries, total.recoveriesImpossible,
        ]
        #expect(counts.allSatisfy { $0 > 10 }, "\(total)")
        #expect(total.acknowledged * 4 > total.asked, "\(total)")
    }
}
