import Dispatch
import Glibc
import Synchronization

/// A serial queue with one epoll descriptor for all that is registered with it, and one timer wheel.
///
/// The epoll descriptor is watched by one `DispatchSource`, whose handler delivers what is ready and then runs the
/// end-of-turn hooks. Turns are: a drained batch, a posted closure, a timer tick. The loop lives until `shutdown`.
///
/// All state is touched on `queue` only; `post` and `shutdown` are what comes in from elsewhere.
package final class EventLoop: @unchecked Sendable {
    /// Rounds of `epoll_wait` in one turn; then posted work gets its turn.
    package static let roundsPerTurn = 8
    /// Events taken in one round.
    package static let eventsPerRound = 256
    /// Timers run in one turn.
    package static let timersPerTurn = 4096

    private enum State {
        case running
        case closing(sources: Int, completions: [@Sendable () -> Void])
        case closed
    }

    /// The loop's place among its siblings, 0-based.
    package let index: Int
    package let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private let timers: LoopTimers
    private var poller: Poller?
    private var hooks: [() -> Void] = []
    private var state = State.running
    private var isTurning = false
    /// Tells the loop's queue from all others.
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

    /// Traps when called from elsewhere than the loop.
    package func assertOnLoop() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Whether the caller is inside a turn of this loop, so that the end-of-turn hooks are still to come. From any thread.
    package var isInTurn: Bool { DispatchQueue.getSpecific(key: key) != nil && isTurning && !hooks.isEmpty }

    /// Runs a closure on the loop, after everything posted before it, and then the end-of-turn hooks. From any thread.
    ///
    /// After `shutdown` closures still run, but no hooks.
    package func post(_ work: @escaping @Sendable () -> Void) {
        posted.wrappingAdd(1, ordering: .relaxed)
        queue.async {
            self.posted.wrappingSubtract(1, ordering: .relaxed)
            self.turn(work)
        }
    }

    /// Posted closures that have not begun. From any thread.
    package var postedCount: Int { posted.load(ordering: .relaxed) }

    /// Adds a closure that runs at the end of each turn, in the order of adding, for as long as the loop lives.
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

    /// Stops the loop: drops what is registered, the timers and the hooks, then closes the epoll descriptor. From any
    /// thread; a second call completes with the first.
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
            // Posting is two thread hops quicker than waiting for the source to be armed again.
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

    /// Dispatch has let go of one source; after both, the epoll descriptor is nobody's and may be closed.
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
    /// Watches a descriptor, level-triggered. The handler is held until `remove`; the descriptor stays the caller's, to
    /// be closed after `remove`.
    ///
    /// - Throws: `SystemError` when the kernel refuses, or `ESHUTDOWN` after `shutdown`.
    package func add(
        _ descriptor: Int32, interest: Interest, handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        assertOnLoop()
        guard case .running = state, let poller else { throw SystemError(operation: "epoll_ctl", errno: ESHUTDOWN) }
        return try poller.add(descriptor, interest: interest, handler: handler)
    }

    /// Changes what is reported, already for the rest of this turn. Of a removed registration: nothing.
    package func setInterest(_ interest: Interest, for registration: Registration) {
        assertOnLoop()
        poller?.setInterest(interest, for: registration)
    }

    /// Forgets a descriptor; its handler is not called again, not even for what this turn has collected. A second time:
    /// nothing.
    package func remove(_ registration: Registration) {
        assertOnLoop()
        poller?.remove(registration)
    }
}

// MARK: - Timers

extension EventLoop {
    /// Ticks delivered so far; it stands still while no timer is pending.
    package var tickCount: Int {
        assertOnLoop()
        return timers.tickCount
    }

    /// Runs a closure after a delay: never early, late by up to two ticks. After `shutdown`: never.
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        assertOnLoop()
        return timers.schedule(after: delay, body)
    }

    /// Keeps a timer from firing, also one that is due in this tick. One that has fired or was cancelled: nothing.
    package func cancel(_ token: TimerToken) {
        assertOnLoop()
        timers.cancel(token)
    }
}
