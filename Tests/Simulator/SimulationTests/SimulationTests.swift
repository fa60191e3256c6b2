import ChildProcesses
import Foundation
import Simulation
import Testing

/// The durability guarantee under simulated crashes and failures. `belfry-simulate --seed N` repeats one run.
@Suite struct SimulationTests {
    /// Fixed seeds, and as many new ones. `BELFRY_SIMULATION_SEEDS` sets the number of fixed seeds and omits new ones.
    static let seeds: [UInt64] = {
        if let count = ProcessInfo.processInfo.environment["BELFRY_SIMULATION_SEEDS"].flatMap({ UInt64($0) }) {
            return Array(1...max(1, count))
        }
        let fresh = UInt64.random(in: 1_000_000..<1_000_000_000)
        print("simulated: seeds 1 to 150 and \(fresh) to \(fresh + 149)")
        return Array(1...150) + Array(fresh..<fresh + 150)
    }()

    /// Options for shorter runs than the command's, so that there can be many.
    static let options = {
        var options = SimulatorOptions()
        options.steps = 50
        return options
    }()

    @Test(arguments: seeds) func `no fault of disk or server loses anything acknowledged`(
        seed: UInt64
    ) {
        let violations = Simulator(seed: seed, options: Self.options).run().violations()
        #expect(violations.isEmpty, "belfry-simulate --seed \(seed) --steps 50: \(violations)")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `the same seed gives the same history, bit for bit`(seed: UInt64) {
        #expect(Simulator(seed: seed).run().traceHash == Simulator(seed: seed).run().traceHash)
    }

    /// The history does not depend on the order of a set or dictionary, the time or an address.
    @Test func `a seed gives the same history in every process`() throws {
        let here = Simulator(seed: 7, options: Self.options).run().traceHash
        let there = try Self.printed("--seed", "7", "--steps", "50")
        #expect(there.contains("trace \(here) "), "\(there)")
    }

    @Test func `different seeds give different histories`() {
        #expect(Set((1...10).map { Simulator(seed: $0, options: Self.options).run().traceHash }).count == 10)
    }

    @Test func `whichever disk operation is the last, nothing acknowledged is lost`() {
        for operation in 1...120 {
            var options = Self.options
            options.steps = 12
            options.firstFailure = operation
            let violations = Simulator(seed: 5, options: options).run().violations()
            #expect(violations.isEmpty, "operation \(operation): \(violations)")
        }
    }

    @Test func `every kind of fault occurs`() {
        var total = Tally()
        for seed in 1...60 as ClosedRange<UInt64> {
            total.add(Tally(Simulator(seed: seed, options: Self.options).run().history))
        }
        let counts = [
            total.powerCuts, total.kills, total.closes, total.failures, total.failedStarts, total.cuts,
            total.withoutSpace, total.overBudget, total.recoveries, total.damages, total.damagesRefused,
            total.snapshots,
            total.snapshotsFailed, total.connections, total.breaks, total.silences, total.slow, total.sentAway,
            total.backendCommands, total.withoutToken, total.guests, total.guestsRemoved,
            total.messagesEnded,
        ]
        #expect(counts.allSatisfy { $0 > 10 }, "\(total)")
        #expect(total.recoveriesImpossible > 0)
        #expect(total.withoutPong > 0)
        #expect(total.damages > total.damagesRefused)
        #expect(total.acknowledged * 4 > total.asked, "\(total)")
    }

    /// Returns the output of the command.
    static func printed(_ arguments: String...) throws -> String {
        let program = Bundle(for: Marker.self).bundleURL.appending(path: "belfry-simulate")
        return try ChildProcess.output(of: program.path, arguments)
    }

    private final class Marker {}
}
