/// A failed script with a description of the failure.
struct Failure<Chat: Driver> {
    var steps: [Step]
    var difference: String

    /// Runs a script from the beginning.
    ///
    /// - Returns: `nil` if nothing fails.
    init?(of steps: [Step], seed: UInt64) async throws {
        var world = try await World<Chat>(seed: seed)
        for (index, step) in steps.enumerated() {
            guard let difference = await world.live(through: step) else { continue }
            await world.end()
            self.init(steps: Array(steps[...index]), difference: difference)
            return
        }
        let difference = await world.compare()
        await world.end()
        guard let difference else { return nil }
        self.init(steps: steps, difference: difference)
    }

    private init(steps: [Step], difference: String) {
        self.steps = steps
        self.difference = difference
    }

    /// Removes steps that the failure does not need: first halves, then ever smaller parts.
    ///
    /// - Parameter attempts: The maximum number of runs.
    func shrunk(seed: UInt64, attempts: Int) async throws -> Failure {
        var smallest = self
        var size = max(1, steps.count / 2)
        var attempts = attempts
        while true {
            var start = 0
            var isSmaller = false
            while start < smallest.steps.count, attempts > 0 {
                attempts -= 1
                var fewer = smallest.steps
                let end = min(start + size, fewer.count)
                let lost = fewer[start..<end].reduce(0) { $0 + $1.pause }
                fewer.removeSubrange(start..<end)
                // The time of removed steps still elapses.
                if start < fewer.count { fewer[start].pause += lost }
                if let failure = try await Failure(of: fewer, seed: seed) {
                    smallest = failure
                    isSmaller = true
                } else {
                    start += size
                }
            }
            if attempts == 0 || size == 1 && !isSmaller { return smallest }
            size = max(1, size / 2)
        }
    }
}
