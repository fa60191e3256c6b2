import ArgumentParser
import Simulation

@main
struct BelfrySimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry-simulate",
        abstract: "Run the chat through simulated crashes and failures, and check that no acknowledged write is lost.",
        discussion: """
            The same seed reproduces the same history, bit for bit; the trace hash identifies it. Stops at the first \
            seed with a violation, prints the command that reproduces it, and exits with 1.
            """)

    @Option(help: "The first seed; random if omitted.")
    var seed: UInt64?
    @Option(help: "The number of consecutive seeds to run.")
    var count = 1
    @Option(help: "The number of simulation steps per seed.")
    var steps = SimulatorOptions().steps
    @Option(help: "The number of nodes, 1 to \(ClusterSimulator.nodeLimit); more than one form a cluster.")
    var nodes = 1
    @Option(help: "Print this range of the history, such as 10..20.")
    var moments: String?
    @Flag(help: "Do not print a line per seed.")
    var quiet = false

    func validate() throws {
        guard (1...ClusterSimulator.nodeLimit).contains(nodes) else {
            throw ValidationError("--nodes must be from 1 to \(ClusterSimulator.nodeLimit)")
        }
    }

    mutating func run() throws {
        var options = SimulatorOptions()
        options.steps = steps
        options.nodes = nodes
        let first = seed ?? UInt64.random(in: 0..<1_000_000_000)
        var total = Tally()
        for index in 0..<UInt64(clamping: max(0, count)) {
            let seed = first &+ index
            let simulated = options.run(seed: seed)
            let tally = Tally(simulated.history)
            total.add(tally)
            if !quiet { print("seed \(seed)  trace \(simulated.traceHash)  \(tally)") }
            try printMoments(of: simulated.history)
            let violations = simulated.violations()
            guard violations.isEmpty else {
                for violation in violations.prefix(5) { print("  \(violation)") }
                let cluster = nodes > 1 ? " --nodes \(nodes)" : ""
                print("  reproduce: belfry-simulate --seed \(seed) --steps \(steps)\(cluster)")
                throw ExitCode.failure
            }
        }
        if count > 1 { print("\(count) seeds from \(first): no violations; \(total)") }
    }

    private func printMoments(of history: History) throws {
        guard let bounds = moments?.split(separator: ".").compactMap({ Int($0) }) else { return }
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw ValidationError("--moments must be a range such as 10..20")
        }
        for (index, moment) in history.moments.enumerated() where (bounds[0]...bounds[1]).contains(index) {
            print("  \(index): \(moment)")
        }
    }
}
