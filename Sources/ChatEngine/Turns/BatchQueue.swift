import Dispatch
import Synchronization

/// Work for a serial queue, shared fairly between payers and executed in batches.
///
/// One dispatch, and one thread wake-up, serves everything that arrives while the queue is busy, and the results of a
/// batch can be handed on together. Items may be posted from any queue.
///
/// - Within a lane, items run in order of arrival; between lanes, `FairQueue` decides.
/// - A barrier runs once everything posted before it is done and its batch has ended.
/// - A pulse runs as soon as the queue is between two batches.
final class BatchQueue: Sendable {
    /// The result of an item's turn: its cost, and the work left for the next turn.
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
        /// - Parameter bytes: The memory it holds while waiting; `nil` for work that is exempt from the limits.
        case work(Lane, Payer, bytes: Int?, Body)
        case barrier(@Sendable () -> Void)
        case pulse(@Sendable () -> Void)
    }

    /// How much one lane may have waiting; further items are refused.
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
        /// Whether a run is dispatched that will fetch the items.
        var isScheduled = false
        /// What each lane has in `items` and in `waiting`.
        var backlogs: [Lane: Backlog] = [:]
    }

    /// A waiting item, and the barrier that waits for it.
    private struct Waiting {
        let body: () -> Turn
        let bytes: Int?
        let generation: UInt64
    }

    /// Touched on `queue` only.
    private final class State: @unchecked Sendable {
        var waiting = FairQueue<Waiting>()
        /// Incremented by each barrier; items belong to the barrier that follows them.
        var generation: UInt64 = 0
        var unfinished: [UInt64: Int] = [:]
        var barriers: [(generation: UInt64, body: @Sendable () -> Void)] = []
    }

    /// The largest number of items in one batch. Bounds the wait of the first: this many take less than a millisecond.
    static let batchLimit = 64

    /// In work units: ends a batch of expensive items early, so that answers, timers and new arrivals need not wait.
    static let batchWork = 2_000_000

    /// The same in milliseconds of the clock, for work that costs more than it is charged.
    static let batchMilliseconds: Int64 = 2

    /// Items that may wait for `wake`. Once there are this many, the queue is as busy as the loop that posts them.
    static let patience = 16

    private let queue: DispatchQueue
    private let arrivals = Mutex(Arrivals())
    private let state = State()
    private let limits: LaneLimits
    /// Milliseconds of any clock.
    private let clock: @Sendable () -> Int64
    /// Runs a batch, with the steps before and after it.
    private let carryOut: @Sendable (_ batch: () -> Void) -> Void

    init(
        queue: DispatchQueue, limits: LaneLimits = LaneLimits(count: .max, bytes: .max),
        clock: @escaping @Sendable () -> Int64 = { 0 },
        carryOut: @escaping @Sendable (_ batch: () -> Void) -> Void
    ) {
        self.queue = queue
        self.limits = limits
        self.clock = clock
        self.carryOut = carryOut
    }

    /// - Parameter wakes: False if the caller has more to post and calls `wake` afterwards. Beyond `patience` items,
    ///   the queue wakes anyway.
    /// - Returns: Whether the item was accepted; false if its lane is full. The server's lane has no limit here.
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

    /// Schedules the items that were posted without a wake.
    func wake() {
        let mustSchedule = arrivals.withLock { arrivals in
            guard !arrivals.items.isEmpty, !arrivals.isScheduled else { return false }
            arrivals.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.run() } }
    }

    /// The number of lanes with waiting items.
    var laneCount: Int { arrivals.withLock { $0.backlogs.count } }

    // MARK: On `queue`

    private func run() {
        takeArrivals()
        if !state.waiting.isEmpty {
            var finished: [(Lane, Int)] = []
            carryOut {
                var (count, work) = (0, 0)
                let start = clock()
                // Either way: the clock may be set back.
                while count < Self.batchLimit, work < Self.batchWork,
                    count == 0 || (clock() &- start).magnitude < Self.batchMilliseconds.magnitude,
                    let (item, lane) = state.waiting.next()
                {
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
        // Dispatched anew, so that the queue's timers can run in between.
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
