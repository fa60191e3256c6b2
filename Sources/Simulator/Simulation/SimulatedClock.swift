import Journal
import Synchronization

/// A clock with timers that advances only on request.
final class SimulatedClock: Sendable {
    private struct Timer {
        let due: Int64
        let queue: any SerialQueue
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: Int64
        var timers: [Timer] = []
    }

    private let state: Mutex<State>

    /// - Parameter now: Milliseconds since 1970.
    init(now: Int64) { state = Mutex(State(now: now)) }

    var now: Int64 { state.withLock(\.now) }

    func after(_ milliseconds: Int, on queue: any SerialQueue, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.timers.append(Timer(due: state.now + Int64(milliseconds), queue: queue, body: body))
        }
    }

    /// Dispatches timers that become due to their queues, ordered by time.
    func advance(_ milliseconds: Int64) {
        let due = state.withLock { state in
            state.now += milliseconds
            let now = state.now
            let due = state.timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
            state.timers.removeAll { $0.due <= now }
            return due
        }
        for timer in due { timer.queue.async(timer.body) }
    }

    /// Drops all timers, because the process has ended.
    func cancelTimers() { state.withLock { $0.timers = [] } }
}
