import Journal
import Replication

/// A queue of a simulated process. It runs its work on the timeline, one closure after another.
///
/// Confined to the simulator's thread, which stands in for the queue.
package final class SimulatedQueue: SerialQueue, @unchecked Sendable {
    private let timeline: Timeline
    /// What arrived while the process was stopped.
    private var backlog: [@Sendable () -> Void] = []
    private var isStopped = false
    private var hasEnded = false
    /// Whether work runs as it arrives, because the process is about to end.
    private var isEnding = false
    private var isRunning = false
    /// Runs each closure, with whatever the process has to do before and after it.
    package var around: (() -> Void) -> Void = { $0() }

    package init(timeline: Timeline) { self.timeline = timeline }

    package func async(_ body: @escaping @Sendable () -> Void) { after(milliseconds: 0, body) }

    package func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        guard !hasEnded else { return }
        guard !isEnding else { return run(body) }
        timeline.after(milliseconds) { self.run(body) }
    }

    /// Not after what waits: that is on the timeline, in the future.
    package func enter(_ body: () -> Void) {
        let wasRunning = isRunning
        isRunning = true
        body()
        isRunning = wasRunning
    }

    package func check() { precondition(isRunning, "not on this queue") }

    /// Stops the process. What arrives waits.
    package func stop() { isStopped = true }

    /// Lets a stopped process continue.
    package func resume() {
        isStopped = false
        let arrived = backlog
        backlog = []
        for body in arrived { run(body) }
    }

    /// Ends the process. Nothing runs any more, except what the closure sends to the queue.
    package func end(after body: () -> Void) {
        (isStopped, isEnding, backlog) = (false, true, [])
        body()
        end()
    }

    /// Ends the process. Nothing runs any more.
    package func end() {
        hasEnded = true
        backlog = []
        around = { $0() }
    }

    private func run(_ body: @escaping @Sendable () -> Void) {
        guard !hasEnded else { return }
        guard !isStopped else { return backlog.append(body) }
        // Work of a process that ends runs inside other work.
        around { enter(body) }
    }
}
