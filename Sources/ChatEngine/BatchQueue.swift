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

    /// Items that may wait for `wake`: by then there is as much to do here as where they come from.
    static let patience = 16

    private let queue: DispatchQueue
    private let waiting = Mutex(Waiting())
    /// Runs a batch, with what comes before and behind it.
    private let carryOut: @Sendable (_ batch: () -> Void) -> Void

    init(queue: DispatchQueue, carryOut: @escaping @Sendable (_ batch: () -> Void) -> Void) {
        self.queue = queue
        self.carryOut = carryOut
    }

    /// - Parameter wakes: False when the caller has more to post and calls `wake` then. Much of it does not wait for that.
    func post(_ item: Item, wakes: Bool = true) {
        let mustSchedule = waiting.withLock { waiting in
            waiting.items.append(item)
            guard wakes || waiting.items.count >= Self.patience, !waiting.isScheduled else { return false }
            waiting.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.run() } }
    }

    /// Has what was posted taken.
    func wake() {
        let mustSchedule = waiting.withLock { waiting in
            guard !waiting.items.isEmpty, !waiting.isScheduled else { return false }
            waiting.isScheduled = true
            return true
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
