import DequeModule
import Journal
import Synchronization

/// Work for a serial queue, shared fairly between payers and executed in batches.
///
/// One dispatch, and one thread wake-up, serves everything that arrives while the queue is busy, and the results of a
/// batch can be published together. Items may be posted from any queue.
///
/// - Within a lane, items run in order of arrival; between lanes, `FairQueue` decides.
/// - A barrier runs once everything posted before it is done and its batch has ended.
/// - An item for between batches runs as soon as no batch is in progress.
/// - If the queue is idle and everything that waits is brief, `wake` runs it on the caller's thread: a thread wake-up
///   costs more than most commands.
final class BatchQueue: Sendable {
    /// The result of an item's turn: its cost, and the work left for the next turn.
    struct Turn {
        /// In work units.
        let cost: Int
        let rest: (() -> Turn)?
        /// Begins what the rest waits for. The lane continues when it calls `resume`, on any queue.
        let wait: ((_ resume: @escaping @Sendable () -> Void) -> Void)?

        init(
            cost: Int, rest: (() -> Turn)? = nil, wait: ((_ resume: @escaping @Sendable () -> Void) -> Void)? = nil
        ) {
            self.cost = cost
            self.rest = rest
            self.wait = wait
        }
    }

    typealias Body = @Sendable () -> Turn

    enum Item: Sendable {
        /// - Parameters:
        ///   - bytes: The memory it holds while waiting; `nil` for work that is exempt from the limits.
        ///   - isBrief: Whether its first turn is always so short that a caller may run it itself.
        case work(Lane, Payer, bytes: Int?, isBrief: Bool = false, Body)
        case barrier(@Sendable () -> Void)
        case betweenBatches(isBrief: Bool = false, @Sendable () -> Void)

        fileprivate var isBrief: Bool {
            switch self {
            case .work(_, _, _, let isBrief, _), .betweenBatches(let isBrief, _): isBrief
            case .barrier: false
            }
        }
    }

    /// How much one lane may have waiting; further items are refused.
    struct LaneLimits: Sendable {
        var count: Int
        var bytes: Int
    }

    private struct Backlog {
        var count = 0
        var bytes = 0

        /// - Returns: False if the lane is full.
        mutating func reserve(_ more: Int, _ limits: LaneLimits) -> Bool {
            guard count < limits.count, bytes <= limits.bytes else { return false }
            count += 1
            bytes += more
            return true
        }
    }

    private struct Arrivals {
        var items: [Item] = []
        /// Whether all of them are brief.
        var areBrief = true
        /// Whether a run will fetch the items: one is dispatched, or in progress.
        var isScheduled = false
        /// What each lane has in `items` and in `waiting`.
        var backlogs: [Lane: Backlog] = [:]
    }

    /// A waiting item, and the barrier that waits for it.
    private struct Waiting {
        let body: () -> Turn
        let bytes: Int?
        let generation: Int
    }

    /// Touched on `queue` only.
    private final class State: @unchecked Sendable {
        var waiting = FairQueue<Waiting>()
        /// Barriers passed so far.
        var passed = 0
        /// Each with the unfinished items between it and the barrier before it.
        var barriers: Deque<(unfinished: Int, body: @Sendable () -> Void)> = []
        /// Unfinished items after the last barrier.
        var unfinished = 0
        /// Empty between runs; kept so that a run need not allocate memory for them.
        var arrived: [Item] = []
        var finished: [(lane: Lane, bytes: Int)] = []

        /// Incremented by each barrier; items belong to the barrier that follows them.
        var generation: Int { passed + barriers.count }

        func finish(_ generation: Int) {
            let place = generation - passed
            if place < barriers.count { barriers[place].unfinished -= 1 } else { unfinished -= 1 }
        }
    }

    /// Touched on `queue` only.
    private struct Parked: @unchecked Sendable {
        let lane: FairQueue<Waiting>.WaitingLane
    }

    /// The largest number of items in one batch. Bounds the wait of the first: this many take less than a millisecond.
    static let batchLimit = 64

    /// In work units: ends a batch of expensive items early, so that answers, timers and new arrivals need not wait.
    static let batchWork = 2_000_000

    /// The same in milliseconds of the clock, for work that costs more than it is charged.
    static let batchMilliseconds: Int64 = 2

    /// How many batches a caller runs in a row, if others post meanwhile.
    private static let roundsOnCaller = 2

    /// Items that may wait for `wake`. Once there are this many, the queue is as busy as the loop that posts them.
    static let wakeLimit = 16

    private let queue: any SerialQueue
    private let arrivals = Mutex(Arrivals())
    private let state = State()
    private let limits: LaneLimits
    private let runsOnCallers: Bool
    /// Milliseconds of any clock.
    private let clock: @Sendable () -> Int64
    /// Runs a batch, with the steps before and after it.
    private let carryOut: @Sendable (_ isOnCaller: Bool, _ batch: () -> Void) -> Void

    /// - Parameters:
    ///   - queue: A serial queue used by nothing else, or only for moments.
    ///   - runsOnCallers: Whether `wake` may run brief items itself. It then waits for other work on the queue.
    init(
        queue: any SerialQueue, limits: LaneLimits = LaneLimits(count: .max, bytes: .max), runsOnCallers: Bool = false,
        clock: @escaping @Sendable () -> Int64 = { 0 },
        carryOut: @escaping @Sendable (_ isOnCaller: Bool, _ batch: () -> Void) -> Void
    ) {
        self.queue = queue
        self.limits = limits
        self.runsOnCallers = runsOnCallers
        self.clock = clock
        self.carryOut = carryOut
    }

    /// - Parameter wakes: False if the caller has more to post and calls `wake` afterwards. Beyond `wakeLimit` items,
    ///   the queue wakes anyway.
    /// - Returns: Whether the item was accepted; false if its lane is full. The server's lane has no limit here.
    @discardableResult
    func post(_ item: Item, wakes: Bool = true) -> Bool {
        let (isAccepted, mustSchedule) = arrivals.withLock { arrivals in
            if case .work(let lane, _, let bytes?, _, _) = item, lane != .server {
                guard arrivals.backlogs[lane, default: Backlog()].reserve(bytes, limits) else { return (false, false) }
            }
            arrivals.items.append(item)
            if arrivals.areBrief, !item.isBrief { arrivals.areBrief = false }
            guard wakes || arrivals.items.count >= Self.wakeLimit, !arrivals.isScheduled else { return (true, false) }
            arrivals.isScheduled = true
            return (true, true)
        }
        if mustSchedule { queue.async { self.run() } }
        return isAccepted
    }

    /// Runs or schedules the items that were posted without a wake.
    func wake() {
        let (mustRun, isBrief) = arrivals.withLock { arrivals in
            guard !arrivals.items.isEmpty, !arrivals.isScheduled else { return (false, false) }
            arrivals.isScheduled = true
            return (true, arrivals.areBrief)
        }
        guard mustRun else { return }
        guard isBrief, runsOnCallers else { return queue.async { self.run() } }
        queue.enter {
            for _ in 1...Self.roundsOnCaller {
                runOnce(isOnCaller: true)
                guard let isBrief = reschedule() else { return }
                guard isBrief else { break }
            }
            queue.async { self.run() }
        }
    }

    /// Whether no run is dispatched or in progress.
    var isIdle: Bool { arrivals.withLock { !$0.isScheduled } }

    /// The number of lanes with waiting items.
    var laneCount: Int { arrivals.withLock { $0.backlogs.count } }

    // MARK: On `queue`

    private func run() {
        runOnce()
        // Dispatched anew, so that the queue's timers can run in between.
        if reschedule() != nil { queue.async { self.run() } }
    }

    /// Keeps a run scheduled while items wait; otherwise the next item schedules one.
    ///
    /// - Returns: Whether all waiting items are brief; `nil` if there are none.
    private func reschedule() -> Bool? {
        arrivals.withLock { arrivals in
            arrivals.isScheduled = !arrivals.items.isEmpty || state.waiting.hasNext
            return arrivals.isScheduled ? arrivals.areBrief && !state.waiting.hasNext : nil
        }
    }

    /// - Parameter isOnCaller: Whether `wake` runs this, and the batch ends at an item that takes more than one turn.
    private func runOnce(isOnCaller: Bool = false) {
        // The one door to everything that is posted; what it runs need not check again.
        queue.check()
        dequeueArrivals()
        if state.waiting.hasNext {
            carryOut(isOnCaller) {
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
                    if let rest, let wait = turn.wait {
                        park(lane, cost: turn.cost, rest, wait)
                    } else {
                        state.waiting.finishTurn(of: lane, cost: turn.cost, rest: rest)
                    }
                    guard rest == nil else {
                        if isOnCaller { break }
                        continue
                    }
                    state.finish(item.generation)
                    if let bytes = item.bytes, lane.lane != .server { state.finished.append((lane.lane, bytes)) }
                }
            }
            releaseBacklogs()
        }
        passBarriers()
    }

    private func park(
        _ lane: FairQueue<Waiting>.WaitingLane, cost: Int, _ rest: Waiting,
        _ wait: (_ resume: @escaping @Sendable () -> Void) -> Void
    ) {
        state.waiting.park(lane, cost: cost, rest: rest)
        let parked = Parked(lane: lane)
        wait { [self] in post(.betweenBatches { self.state.waiting.resume(parked.lane) }) }
    }

    private func dequeueArrivals() {
        arrivals.withLock { arrivals in
            swap(&arrivals.items, &state.arrived)
            arrivals.areBrief = true
        }
        for item in state.arrived {
            switch item {
            case .work(let lane, let payer, let bytes, _, let body):
                state.unfinished += 1
                state.waiting.append(
                    Waiting(body: body, bytes: bytes, generation: state.generation), to: lane, of: payer)
            case .barrier(let body):
                state.barriers.append((state.unfinished, body))
                state.unfinished = 0
            case .betweenBatches(_, let body): body()
            }
        }
        state.arrived.removeAll(keepingCapacity: state.arrived.count <= Self.batchLimit)
    }

    private func releaseBacklogs() {
        guard !state.finished.isEmpty else { return }
        arrivals.withLock { arrivals in
            for (lane, bytes) in state.finished {
                guard let place = arrivals.backlogs.index(forKey: lane) else { continue }
                arrivals.backlogs.values[place].count -= 1
                arrivals.backlogs.values[place].bytes -= bytes
                if arrivals.backlogs.values[place].count == 0 { arrivals.backlogs.remove(at: place) }
            }
        }
        state.finished.removeAll(keepingCapacity: true)
    }

    private func passBarriers() {
        while let first = state.barriers.first, first.unfinished == 0 {
            state.barriers.removeFirst()
            state.passed += 1
            first.body()
        }
    }
}
