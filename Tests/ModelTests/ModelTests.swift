import FoundationEssentials
import TestSupport
import Testing

/// The domain against a naive model of it, over random scripts in a small world.
///
/// `BELFRY_MODEL_COMMANDS` says how many commands (20,000 when it is absent), `BELFRY_MODEL_SEED` from which seed on.
@Suite struct ModelTests {
    /// A world is left for a new one after so many commands: the model works everything out from the beginning.
    static let commandsPerWorld = 400

    /// Of US3, US4, CH2, CH3, CH4, CH6, CH7, CH8, CH10, CH11, CH14, CH15, CH16, ME1, ME2, ME3, ME4, MS3, MS4, MS6, MS7,
    /// MS8, T1, T3, T4, T5, R2, R3 and R4.
    @Test func `CH9 MS4 T4 R3 U1: whatever is done, the domain tells everyone what a naive model tells them`() {
        let environment = ProcessInfo.processInfo.environment
        let commands = environment["BELFRY_MODEL_COMMANDS"].flatMap { Int($0) } ?? 20_000
        let first = environment["BELFRY_MODEL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000_000)
        print("BELFRY_MODEL_SEED=\(first) BELFRY_MODEL_COMMANDS=\(commands)")
        var done = 0
        var refused: [Int: Int] = [:]
        var seed = first
        while done < commands {
            var world = World(seed: seed)
            var writer = ScriptWriter(seed: seed)
            var steps: [Step] = []
            for index in 1...min(Self.commandsPerWorld, commands - done) {
                let step = writer.next(in: world.model)
                steps.append(step)
                let isTimeToCompare = index % 20 == 0
                guard let difference = world.live(through: step) ?? (isTimeToCompare ? world.compare() : nil) else {
                    continue
                }
                report(difference, steps, seed)
                return
            }
            refused.merge(world.refused, uniquingKeysWith: +)
            done += steps.count
            seed &+= 1
        }
        // Scripts that are refused everything, or never anything, would prove little.
        #expect((commands / 4...commands * 3 / 4).contains(refused.values.reduce(0, +)), "\(refused)")
        let common = [107, 1000, 1001, 1002, 1005, 1006, 1007, 1010, 1015, 1020, 1023, 1024, 1032, 1033, 1034]
        #expect(commands < 20_000 || common.allSatisfy { refused[$0] != nil }, "\(refused)")
        // These take a rare turn of things, which a short script may never come to.
        let rare = [1003, 1004, 1012, 1013, 1014, 1016, 1021, 1022]
        #expect(commands < 500_000 || rare.allSatisfy { refused[$0] != nil }, "\(refused)")
    }

    private func report(_ difference: String, _ steps: [Step], _ seed: UInt64) {
        guard let failure = Failure(of: steps, seed: seed)?.shrunk(seed: seed) else {
            Issue.record("seed \(seed): \(difference)\nnot seen again")
            return
        }
        let script = failure.steps.map(\.description).joined(separator: "\n")
        Issue.record(
            """
            BELFRY_MODEL_SEED=\(seed), \(failure.steps.count) of \(steps.count) commands:
            \(script)
            \(failure.difference)
            """)
    }
}
