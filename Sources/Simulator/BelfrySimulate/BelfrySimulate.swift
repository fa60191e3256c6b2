import ArgumentParser
import Simulation

@main
struct BelfrySimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry-simulate",
        abstract: "Lives through simulated crashes and failures, and checks that nothing acknowledged is lost.",
        discussion: "The same seed gives the same history, bit for bit; its trace hash proves it.")

    @Option(help: "The first seed; a random one when absent.")
    var seed: UInt64?
    @Option(help: "How many seeds, one after the other.")
    var count = 1
    @Option(help: "Turns of the world in each.")
    var steps = SimulatorOptions().steps
    @Option(help: "Print the moments of this range, as 10..20.")
    var moments: String?
    @Flag(help: "Print nothing for a seed that went well.")
    var quiet = false

    mutating func run() throws {
        var options = SimulatorOptions()
        options.steps = steps
        let first = seed ?? UInt64.random(in: 0..<1_000_000_000)
        var total = Tally()
        for index in 0..<UInt64(clamping: max(0, count)) {
            let seed = first &+ index
            let simulated = Simulator(seed: seed, options: options).run()
            let tally = Tally(simulated.history)
            total.add(tally)
            if !quiet { print("seed \(seed)  trace \(simulated.traceHash)  \(tally)") }
            try printMoments(of: simulated.history)
            let violations = simulated.violations()
            guard violations.isEmpty else {
                for violation in violations.prefix(5) { print("  \(violation)") }
                print("  again: belfry-simulate --seed \(seed) --steps \(steps)")
                throw ExitCode.failure
            }
        }
        if count > 1 { print("\(count) seeds from \(first): no violation; \(total)") }
    }

    private func printMoments(of history: History) throws {
        guard let bounds = moments?.split(separator: ".").compactMap({ Int($0) }) else { return }
        guard bounds.count == 2, bounds[0] <= bounds[1] else { throw ValidationError("--moments 10..20") }
        for (index, moment) in history.moments.enumerated() where (bounds[0]...bounds[1]).contains(index) {
            print("  \(index): \(moment)")
        }
    }
}
