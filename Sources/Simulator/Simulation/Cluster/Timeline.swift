/// Work that happens at simulated times, ordered by time and then by when it was scheduled.
///
/// Confined to the simulator's thread, which stands in for the queues of the simulated parts.
package final class Timeline: @unchecked Sendable {
    private struct Work {
        let due: Int64
        let body: () -> Void
    }

    /// In milliseconds.
    package private(set) var now: Int64 = 0
    /// The next work is the last element.
    private var scheduled: [Work] = []

    package init() {}

    package func after(_ milliseconds: Int, _ body: @escaping () -> Void) {
        let due = now + Int64(max(0, milliseconds))
        // The first work that is not due later.
        var (low, high) = (0, scheduled.count)
        while low < high {
            let middle = (low + high) / 2
            if scheduled[middle].due > due { low = middle + 1 } else { high = middle }
        }
        scheduled.insert(Work(due: due, body: body), at: low)
    }

    /// Advances to the next work and runs it.
    ///
    /// - Returns: False if there is none.
    @discardableResult
    package func step() -> Bool {
        guard let work = scheduled.popLast() else { return false }
        now = work.due
        work.body()
        return true
    }

    /// Drops all work, because the simulation is over.
    package func clear() { scheduled = [] }

    /// Runs all work of a period.
    package func run(milliseconds: Int) {
        let end = now + Int64(milliseconds)
        while let next = scheduled.last, next.due <= end { step() }
        now = end
    }
}

/// A callback that is called at most once, with the first result. Confined to the simulator's thread, like its queues.
final class FirstResult<Value>: @unchecked Sendable {
    private var done: ((Value) -> Void)?

    init(_ done: @escaping (Value) -> Void) { self.done = done }

    func callAsFunction(_ value: Value) {
        let done = self.done
        self.done = nil
        done?(value)
    }
}
