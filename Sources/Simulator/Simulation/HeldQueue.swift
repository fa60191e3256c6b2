import Journal

/// A queue that runs what it has when the simulator says so, on the simulator's thread. A `DispatchQueue` would need a change of
/// threads for each step, which takes longer than the work.
///
/// Confined to the simulator's thread, which stands in for the queue.
final class HeldQueue: SerialQueue, @unchecked Sendable {
    private let clock: SimulatedClock
    private var waiting: [@Sendable () -> Void] = []
    private var isRunning = false
    /// Whether work waits for `run`. Until then it runs as it arrives, as a server starts.
    private var isHeld = false

    init(_ clock: SimulatedClock) { self.clock = clock }

    var isEmpty: Bool { waiting.isEmpty }

    func async(_ body: @escaping @Sendable () -> Void) {
        waiting.append(body)
        if !isHeld, !isRunning { run() }
    }

    func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        clock.after(milliseconds, on: self, body)
    }

    func enter(_ body: () -> Void) {
        run()
        let wasRunning = isRunning
        isRunning = true
        body()
        isRunning = wasRunning
    }

    func check() { precondition(isRunning, "not on this queue") }

    func hold() { isHeld = true }

    func release() {
        isHeld = false
        run()
    }

    /// Runs what waits, and what it leads to, unless the queue runs already.
    func run() {
        guard !isRunning else { return }
        isRunning = true
        while !waiting.isEmpty {
            let bodies = waiting
            waiting = []
            for body in bodies { body() }
        }
        isRunning = false
    }
}
