import Dispatch
import Synchronization

/// Work for a serial queue: fair between those who ask for it, and carried out a batch at a time.
///
/// One dispatch, and one wake of a thread, is enough for all that comes while the queue is busy; and what a batch leads to
/// can be handed on together. May be posted to from every queue.
///
/// - In a lane: the order in which it came. Between lanes: `FairQueue`.
/// - A barrier comes when everything that was posted before it is done, and its batch is concluded.
/// - A pulse comes as soon as the queue has a moment between two batches.
final class BatchQueue: Sendable {
    /// What came of an item's turn: what it cost, and what is left of it to do in the next one.
    struct Turn {
        /// In work units.
        let cost: Int
        let rest: (() -> Turn)?

        init(cost: Int, rest: (() -> Turn)? = nil) {
            self.cost = cost
            self.rest = rest
        }
    }

    typealias Body = @Sendable () -> Turn

    enum Item: Sendable {
        /// - Parameter bytes: What it keeps while it waits; `nil` for what has to be done and counts for nobody's limit.
        case work(Lane, Payer, bytes: Int?, Body)
        case barrier(@Sendable () -> Void)
        case pulse(@Sendable () -> Void)
    }

    /// What one lane may have waiting; more of it is not taken.
    struct LaneLimits: Sendable {
        var count: Int
        var bytes: Int
    }

    private struct Backlog {
        var count = 0
        var bytes = 0

        /// - Returns: False where there is no room for so many bytes.
        mutating func takes(_ more: Int, _ limits: LaneLimits) -> Bool {
            guard count < limits.count, bytes <= limits.bytes else { return false }
            count += 1
            bytes += more
            return true
        }
    }

    private struct Arrivals {
        var items: [Item] = []
        /// Whether someone is on the way to take what waits.
        var isScheduled = false
        /// What each lane has here and in `waiting`.
        var backlogs: [Lane: Backlog] = [:]
    }

    /// An item that waits, and which barrier waits for it.
    private struct Waiting {
        let body: () -> Turn
        let bytes: Int?
        let generation: UInt64
    }

    /// All of it is touched on `queue` only.
    private final class State: @unchecked Sendable {
        var waiting = FairQueue<Waiting>()
        /// Grows with each barrier; items count for the one after them.
        var generation: UInt64 = 0
        var unfinished: [UInt64: Int] = [:]
        var barriers: [(generation: UInt64, body: @Sendable () -> Void)] = []
    }

    /// Items of one batch. The first must not wait long for the last: this many commands take less than a millisecond.
    static let batchLimit = 64

    /// In work units: a batch of expensive items ends sooner, so that its answers, timers and newcomers need not wait.
    static let batchWork = 2_000_000

    /// Items that may wait for `wake`: by then there is as much to do here as where they come from.
    static let patience = 16

    private let queue: DispatchQueue
    private let arrivals = Mutex(Arrivals())
    private let state = State()
    private let limits: LaneLimits
    /// Runs a batch, with what comes before and after it.
    private let carryOut: @Sendable (_ batch: () -> Void) -> Void

    init(
        queue: DispatchQueue, limits: LaneLimits = LaneLimits(count: .max, bytes: .max),
        carryOut: @escaping @Sendable (_ batch: () -> Void) -> Void
    ) {
        self.queue = queue
        self.limits = limits
        self.carryOut = carryOut
    }

    /// - Parameter wakes: False when the caller has more to post and calls `wake` then. Much of it does not wait for that.
    /// - Returns: Whether it was taken: a lane has room for so much. The server's own has no bound here.
    @discardableResult
    func post(_ item: Item, wakes: Bool = true) -> Bool {
        let (isTaken, mustSchedule) = arrivals.withLock { arrivals in
            if case .work(let lane, _, let bytes?, _) = item, lane != .server {
                guard arrivals.backlogs[lane, default: Backlog()].takes(bytes, limits) else { return (false, false) }
            }
            arrivals.items.append(item)
            guard wakes || arrivals.items.count >= Self.patience, !arrivals.isScheduled else { return (true, false) }
            arrivals.isScheduled = true
            return (true, true)
        }
        if mustSchedule { queue.async { self.run() } }
        return isTaken
    }

    /// Has what was posted taken.
    func wake() {
        let mustSchedule = arrivals.withLock { arrivals in
            guard !arrivals.items.isEmpty, !arrivals.isScheduled else { return false }
            arrivals.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.run() } }
    }

    /// Lanes that have something waiting.
    var laneCount: Int { arrivals.withLock { $0.backlogs.count } }

    // MARK: On `queue`

    private func run() {
        takeArrivals()
        if !state.waiting.isEmpty {
            var finished: [(Lane, Int)] = []
            carryOut {
                var (count, work) = (0, 0)
                while count < Self.batchLimit, work < Self.batchWork, let (item, lane) = state.waiting.next() {
                    let turn = item.body()
                    count += 1
                    work += turn.cost
                    let rest = turn.rest.map { Waiting(body: $0, bytes: item.bytes, generation: item.generation) }
                    state.waiting.done(lane, cost: turn.cost, rest: rest)
                    guard rest == nil else { continue }
                    finish(item.generation)
                    if let bytes = item.bytes, lane.lane != .server { finished.append((lane.lane, bytes)) }
                }
            }
            forget(finished)
        }
        passBarriers()
        // Dispatched anew, so that timers of the same queue come in between.
        let isMore = arrivals.withLock { arrivals in
            arrivals.isScheduled = !arrivals.items.isEmpty || !state.waiting.isEmpty
            return arrivals.isScheduled
        }
        if isMore { queue.async { self.run() } }
    }

    private func takeArrivals() {
        let items = arrivals.withLock { arrivals in
            defer { arrivals.items = [] }
            return arrivals.items
        }
        for item in items {
            switch item {
            case .work(let lane, let payer, let bytes, let body):
                state.unfinished[state.generation, default: 0] += 1
                state.waiting.append(
                    Waiting(body: body, bytes: bytes, generation: state.generation), to: lane, of: payer)
            case .barrier(let body):
                state.barriers.append((state.generation, body))
                state.generation += 1
            case .pulse(let body): body()
            }
        }
    }

    private func finish(_ generation: UInt64) {
        let left = (state.unfinished[generation] ?? 1) - 1
        state.unfinished[generation] = left > 0 ? left : nil
    }

    private func forget(_ finished: [(lane: Lane, bytes: Int)]) {
        guard !finished.isEmpty else { return }
        arrivals.withLock { arrivals in
            for (lane, bytes) in finished {
                guard let place = arrivals.backlogs.index(forKey: lane) else { continue }
                arrivals.backlogs.values[place].count -= 1
                arrivals.backlogs.values[place].bytes -= bytes
                if arrivals.backlogs.values[place].count == 0 { arrivals.backlogs.remove(at: place) }
            }
        }
    }

    private func passBarriers() {
        while let first = state.barriers.first, !state.unfinished.keys.contains(where: { $0 <= first.generation }) {
            state.barriers.removeFirst()
            first.body()
        }
    }
}
