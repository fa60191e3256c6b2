import Dispatch
import Synchronization

/// Work for a serial queue, in the order in which it comes, taken a batch at a time.
///
/// One dispatch, and one wake of a thread, is enough for all that comes while the queue is busy; and what a batch leads to
/// can be handed on together. May be posted to from every queue.
final class BatchQueue: Sendable {
    enum Item: Sendable {
        case work(@Sendable () -> Void)
        /// Comes when the batch with everything before it is concluded.
        case barrier(@Sendable () -> Void)
    }

    private struct Waiting {
        var items: [Item] = []
        /// Whether someone is on the way to take what waits.
        var isScheduled = false
    }

    /// Items of one batch. The first must not wait long for the last: this many commands take less than a millisecond.
    static let batchLimit = 64

    private let queue: DispatchQueue
    private let waiting = Mutex(Waiting())
    /// Runs a batch, with what comes before and behind it.
    private let carryOut: @Sendable (_ batch: () -> Void) -> Void

    init(queue: DispatchQueue, carryOut: @escaping @Sendable (_ batch: () -> Void) -> Void) {
        self.queue = queue
        self.carryOut = carryOut
    }

    func post(_ item: Item) {
        let mustSchedule = waiting.withLock { waiting in
            waiting.items.append(item)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if mustSchedule { queue.async { self.run() } }
    }

    // MARK: On `queue`

    private func run() {
        let items = waiting.withLock { waiting in
            defer { waiting.items = [] }
            return waiting.items
        }
        var rest = items[...]
        while !rest.isEmpty {
            if case .work = rest.first {
                carryOut {
                    for _ in 0..<Self.batchLimit {
                        guard case .work(let body) = rest.first else { return }
                        rest.removeFirst()
                        body()
                    }
                }
            }
            while case .barrier(let body) = rest.first {
                rest.removeFirst()
                body()
            }
        }
        // Dispatched anew, so that timers of the same queue come in between.
        let isMore = waiting.withLock { waiting in
            waiting.isScheduled = !waiting.items.isEmpty
            return waiting.isScheduled
        }
        if isMore { queue.async { self.run() } }
    }
}
