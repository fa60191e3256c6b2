import Dispatch
import Glibc
import Synchronization

/// A serial queue with one epoll descriptor for everything registered with it, and one timer wheel.
///
/// A `DispatchSource` watches the epoll descriptor; its handler delivers what is ready and then runs the end-of-turn
/// hooks. A turn is a drained batch, a posted closure or a timer tick. The loop lives until `shutdown`.
///
/// All state is touched on `queue` only; `post` and `shutdown` may be called from any thread.
package final class EventLoop: @unchecked Sendable {
    /// Rounds of `epoll_wait` per turn; after that, posted work runs.
    package static let roundsPerTurn = 8
    /// Events fetched per round.
    package static let eventsPerRound = 256
    /// Timers run per turn.
    package static let timersPerTurn = 4096

    private enum State {
        case running
        case closing(sources: Int, completions: [@Sendable () -> Void])
        case closed
    }

    /// The loop's 0-based index among all loops.
    package let index: Int
    package let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private let timers: LoopTimers
    private var poller: Poller?
    private var hooks: [() -> Void] = []
    private var state = State.running
    private var isTurning = false
    /// Identifies the loop's queue.
    private let key = DispatchSpecificKey<Void>()
    private var turnInstant: ContinuousClock.Instant?
    private let posted = Atomic<Int>(0)

    /// - Throws: `SystemError` when no descriptor is left.
    package init(label: String, index: Int, tick: Duration = .milliseconds(100)) throws(SystemError) {
        let poller = try Poller(eventsPerRound: Self.eventsPerRound)
        self.index = index
        self.poller = poller
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: key, value: ())
        timers = LoopTimers(queue: queue, tick: tick)
        source = DispatchSource.makeReadSource(fileDescriptor: poller.epoll.rawValue, queue: queue)
        source.setEventHandler { self.drain() }
        source.setCancelHandler { self.sourceDidCancel() }
        source.activate()
        timers.activate(onTick: { self.tick() }, onCancel: { self.sourceDidCancel() })
    }

    /// Traps unless called on the loop's queue.
    package func assertOnLoop() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Whether the caller is inside a turn of this loop, so that the end-of-turn hooks are still to run. From any
    /// thread.
    package var isInTurn: Bool { DispatchQueue.getSpecific(key: key) != nil && isTurning && !hooks.isEmpty }

    /// Runs a closure on the loop, after everything posted before it, followed by the end-of-turn hooks. From any
    /// thread.
    ///
    /// After `shutdown` closures still run, but hooks do not.
    package func post(_ work: @escaping @Sendable () -> Void) {
        posted.wrappingAdd(1, ordering: .relaxed)
        queue.async {
            self.posted.wrappingSubtract(1, ordering: .relaxed)
            self.turn(work)
        }
    }

    /// Posted closures that have not started. From any thread.
    package var postedCount: Int { posted.load(ordering: .relaxed) }

    /// Adds a closure that runs at the end of each turn, in the order added, for as long as the loop lives.
    package func atEndOfTurn(_ hook: @escaping () -> Void) {
        assertOnLoop()
        if case .running = state { hooks.append(hook) }
    }

    /// The time, read once per turn.
    package func now() -> ContinuousClock.Instant {
        assertOnLoop()
        if let turnInstant { return turnInstant }
        let instant = ContinuousClock.now
        if isTurning { turnInstant = instant }
        return instant
    }

    /// Stops the loop: drops registrations, timers and hooks, then closes the epoll descriptor. From any thread; a
    /// second call completes with the first.
    ///
    /// - Parameter completion: Called on `queue` when the descriptor is closed.
    package func shutdown(_ completion: @escaping @Sendable () -> Void) {
        queue.async { self.close(completion) }
    }

    // MARK: Turns

    private func turn(_ body: () -> Void) {
        isTurning = true
        body()
        for hook in hooks { hook() }
        isTurning = false
        turnInstant = nil
    }

    private func drain() {
        guard case .running = state, let poller else { return }
        turn {
            // Posting is two thread hops faster than waiting for the source to be rearmed.
            if poller.drain(rounds: Self.roundsPerTurn) { queue.async { self.drain() } }
        }
    }

    private func tick() {
        guard case .running = state else { return }
        timers.tick()
        runDueTimers()
    }

    private func runDueTimers() {
        guard case .running = state else { return }
        turn {
            if timers.runDue(limit: Self.timersPerTurn) { queue.async { self.runDueTimers() } }
        }
    }

    // MARK: The end

    private func close(_ completion: @escaping @Sendable () -> Void) {
        switch state {
        case .running:
            state = .closing(sources: 2, completions: [completion])
            source.cancel()
            timers.close()
            poller?.removeAll()
            let dropped = hooks
            hooks = []
            withExtendedLifetime(dropped) {}
        case .closing(let sources, let completions):
            state = .closing(sources: sources, completions: completions + [completion])
        case .closed:
            completion()
        }
    }

    /// Dispatch has released one source. After both, nothing uses the epoll descriptor and it may be closed.
    private func sourceDidCancel() {
        guard case .closing(let sources, let completions) = state else { return }
        guard sources == 1 else {
            state = .closing(sources: sources - 1, completions: completions)
            return
        }
        poller = nil
        state = .closed
        for completion in completions { completion() }
    }
}

// MARK: - Descriptors

extension EventLoop {
    /// Watches a descriptor, level-triggered. The loop retains the handler until `remove`. The caller keeps ownership
    /// of the descriptor and closes it after `remove`.
    ///
    /// - Throws: `SystemError` when the kernel refuses, or with `ESHUTDOWN` after `shutdown`.
    package func add(
        _ descriptor: Int32, interest: Interest, handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        assertOnLoop()
        guard case .running = state, let poller else { throw SystemError(operation: "epoll_ctl", errno: ESHUTDOWN) }
        return try poller.add(descriptor, interest: interest, handler: handler)
    }

    /// Changes what is reported, effective within this turn. No effect on a removed registration.
    package func setInterest(_ interest: Interest, for registration: Registration) {
        assertOnLoop()
        poller?.setInterest(interest, for: registration)
    }

    /// Unregisters a descriptor. Its handler is not called again, even for events already collected in this turn. No
    /// effect a second time.
    package func remove(_ registration: Registration) {
        assertOnLoop()
        poller?.remove(registration)
    }
}

// MARK: - Timers

extension EventLoop {
    /// Ticks delivered so far; the count stops while no timer is pending.
    package var tickCount: Int {
        assertOnLoop()
        return timers.tickCount
    }

    /// Runs a closure after a delay: never early, and up to two ticks late. Never after `shutdown`.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        assertOnLoop()
        return timers.schedule(after: delay, body)
    }

    /// Cancels a timer, even one due in this tick. No effect if it has fired or was cancelled.
    package func cancel(_ token: TimerToken) {
        assertOnLoop()
        timers.cancel(token)
    }
}
