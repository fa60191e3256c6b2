import FoundationEssentials
import Testing

/// Runs scripts until one fails or the number of commands is reached, and reports the failed one.
enum Scripts {
    /// The number of commands after which a new world replaces the old one, because the model recomputes everything
    /// from the beginning.
    static let commandsPerWorld = 400

    /// - Returns: The number of refused steps by code; `nil` if a script failed.
    static func play<Chat: Driver>(
        _ kind: Chat.Type, commands: Int, comparedEvery interval: Int, attempts: Int
    ) async throws -> [Int: Int]? {
        var seed = number("BELFRY_MODEL_SEED").map(UInt64.init) ?? UInt64.random(in: 0..<1_000_000_000)
        print("\(kind): BELFRY_MODEL_SEED=\(seed), \(commands) commands")
        var done = 0
        var refused: [Int: Int] = [:]
        while done < commands {
            var world = try await World<Chat>(seed: seed)
            var writer = ScriptWriter(seed: seed, hasGuests: Chat.takesGuests, hasTime: Chat.keepsTime)
            var steps: [Step] = []
            var difference: String?
            while difference == nil, steps.count < min(Self.commandsPerWorld, commands - done) {
                let step = writer.next(in: world.model)
                steps.append(step)
                difference = await world.live(through: step)
                if difference == nil, steps.count % interval == 0 { difference = await world.compare() }
            }
            await world.end()
            if let difference {
                try await report(kind, difference, steps, seed, attempts)
                return nil
            }
            refused.merge(world.refused, uniquingKeysWith: +)
            done += steps.count
            seed &+= 1
        }
        return refused
    }

    private static func report<Chat: Driver>(
        _ kind: Chat.Type, _ difference: String, _ steps: [Step], _ seed: UInt64, _ attempts: Int
    ) async throws {
        guard let failure = try await Failure<Chat>(of: steps, seed: seed) else {
            Issue.record("seed \(seed): \(difference)\nnot seen again")
            return
        }
        let smallest = try await failure.shrunk(seed: seed, attempts: attempts)
        let script = smallest.steps.map(\.description).joined(separator: "\n")
        Issue.record(
            """
            \(kind) BELFRY_MODEL_SEED=\(seed), \(smallest.steps.count) of \(steps.count) commands:
            \(script)
            \(smallest.difference)
            """)
    }

    static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}
