import Dispatch
import Glibc
import Synchronization

/// Waits for descriptors, posted closures and timers, and runs their handlers in turns, one at a time.
///
/// The loop blocks in `epoll_wait` on its own thread, because watching the epoll descriptor with a `DispatchSource` costs
/// a second wake-up: Dispatch's manager thread wakes first. A turn handles one round of events, then the closures posted
/// so far, then due timers, and finally the end-of-turn hooks. The loop lives until `shutdown`.
///
/// A waiting loop is not woken for a small delivery: a loop that posts with `lend` runs the waiting loop's turn on its
/// own thread (`EventLoop+Lending`).
///
/// All state is confined to turns unless noted otherwise. `post`, `lend` and `shutdown` may be called from any thread.
package final class EventLoop: @unchecked Sendable {
    /// Events delivered per turn.
    package static let eventsPerTurn = 256
    /// Posted closures run per turn.
    package static let postsPerTurn = 256
    /// Timers run per turn.
    package static let timersPerTurn = 4096

    private enum State {
        case running
        case closing
        case closed
    }

    /// Wraps the closure: an array of bare closures adds a thunk, which allocates memory, to each.
    struct Post: Sendable {
        let run: @Sendable () -> Void
    }

    /// Work and flags shared with other threads.
    struct Mailbox {
        var posts: [Post?] = []
        /// Whether the loop's thread waits for events.
        var isWaiting = false
        /// Whether it does, and no other thread has undertaken to wake it or to run its turn.
        var isAsleep = false
        /// Whether the wait has no timeout, because no timer is pending.
        var waitsForever = false
        /// Whether the loop has shut down; posts then run on `afterClosing`.
        var isClosed = false
    }

    /// The loop's 0-based index among all loops.
    package let index: Int
    let timers: LoopTimers
    let wakeup: Wakeup
    let turns = TurnLock()
    let mailbox = Mutex(Mailbox())
    /// Posts fetched from the mailbox; the first `fetchedCount` have run and are nil, to release their captures.
    private(set) var fetched: [Post?] = []
    private var fetchedCount = 0
    /// Set to nil by the loop's thread when it exits.
    private var poller: Poller?
    private var hooks: [() -> Void] = []
    private var completions: [@Sendable () -> Void] = []
    private var state = State.running
    private var isTurning = false
    /// How long the loop may wait before the next turn, in milliseconds; -1 means no limit, nil after `close`. Confined
    /// to the loop's thread.
    private var longestWait: Int32? = 0
    /// Whether another loop's thread is running this turn, which must then be short.
    package internal(set) var isLent = false
    /// Loops whose next turn this loop's thread will run. Confined to that thread.
    var borrowed: [EventLoop] = []
    private var turnInstant: ContinuousClock.Instant?
    private let posted = Atomic<Int>(0)
    /// Runs what is posted to a closed loop.
    private let afterClosing: DispatchQueue

    /// - Throws: `SystemError` when no descriptor or thread is left.
    package init(label: String, index: Int, tick: Duration = .milliseconds(100)) throws(SystemError) {
        let poller = try Poller(eventsPerRound: Self.eventsPerTurn)
        wakeup = try Wakeup()
        try poller.watch(wakeup)
        self.index = index
        self.poller = poller
        afterClosing = DispatchQueue(label: label)
        timers = LoopTimers(tick: tick)
        try PlainThread.run(named: label) { self.run() }
    }

    /// Traps unless called in a turn of the loop.
    package func assertOnLoop() {
        precondition(turns.isHeld, "called outside the turns of its loop")
    }

    /// Whether the caller is inside a turn of this loop, so that the end-of-turn hooks are still to run. From any
    /// thread.
    package var isInTurn: Bool { turns.isHeld && isTurning && !hooks.isEmpty }

    /// Runs a closure on the loop, after everything posted before it. From any thread.
    ///
    /// After `shutdown` closures still run, but hooks do not.
    package func post(_ work: @escaping @Sendable () -> Void) {
        if enqueue(work) { wakeup.signal() }
    }

    /// - Returns: Whether the loop is waiting, and the caller must wake it or run its turn.
    func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
        posted.wrappingAdd(1, ordering: .relaxed)
        let (mustWake, isClosed) = mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return (false, true) }
            mailbox.posts.append(Post(run: work))
            defer { mailbox.isAsleep = false }
            return (mailbox.isAsleep, false)
        }
        if isClosed { afterClosing.async { self.turns.withLock { self.runPost(Post(run: work)) } } }
        return mustWake
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
        return turnInstant ?? ContinuousClock.now
    }

    /// Stops the loop: drops registrations, timers and hooks, then closes the epoll descriptor. From any thread; a
    /// second call completes with the first.
    ///
    /// - Parameter completion: Called in the last turn, when the descriptor is closed.
    package func shutdown(_ completion: @escaping @Sendable () -> Void) {
        post { self.close(completion) }
    }

    // MARK: Turns

    /// On the loop's thread.
    private func run() {
        Self.current = self
        defer { Self.current = nil }
        var polls = true
        while let longest = longestWait {
            let milliseconds = beginWait(longest)
            // Posts of the last turn run first, without polling, but never twice in a row.
            polls = !polls || milliseconds != 0 || longest == 0
            let count = polls ? poller?.wait(milliseconds: milliseconds) : nil
            endWait()
            turns.withLock {
                turn {
                    if let count { poller?.deliver(count) }
                    runPosts()
                    runTimers()
                }
                longestWait = nextWait()
            }
            runBorrowed()
        }
        turns.withLock { finishClosing() }
    }

    private func nextWait() -> Int32? {
        guard case .running = state else { return nil }
        return needsTurn ? 0 : timers.millisecondsToNextTick(ContinuousClock.now)
    }

    /// Whether work is left for another turn.
    var needsTurn: Bool { !fetched.isEmpty || timers.hasDue || state != .running }

    func turn(_ body: () -> Void) {
        isTurning = true
        turnInstant = ContinuousClock.now
        body()
        for hook in hooks { hook() }
        isTurning = false
        turnInstant = nil
    }

    /// Runs the closures posted so far, at most `postsPerTurn`; the rest run in the next turn.
    func runPosts() {
        if fetched.isEmpty { mailbox.withLock { swap(&fetched, &$0.posts) } }
        let end = min(fetched.count, fetchedCount + Self.postsPerTurn)
        while fetchedCount < end {
            let post = fetched[fetchedCount].take()
            fetchedCount += 1
            runPost(post)
        }
        guard fetchedCount == fetched.count else { return }
        fetched.removeAll(keepingCapacity: fetched.count <= Self.postsPerTurn)
        fetchedCount = 0
    }

    private func runPost(_ post: Post?) {
        posted.wrappingSubtract(1, ordering: .relaxed)
        post?.run()
    }

    private func runTimers() {
        guard case .running = state, let turnInstant else { return }
        timers.advance(to: turnInstant)
        timers.runDue(limit: Self.timersPerTurn)
    }

    // MARK: Shutdown

    private func close(_ completion: @escaping @Sendable () -> Void) {
        guard state != .closed else { return completion() }
        completions.append(completion)
        guard state == .running else { return }
        state = .closing
        timers.close()
        poller?.removeAll()
        let dropped = hooks
        hooks = []
        withExtendedLifetime(dropped) {}
    }

    /// Closes the epoll descriptor and runs what was posted before that.
    private func finishClosing() {
        poller = nil
        var rest = fetched[fetchedCount...]
        (fetched, fetchedCount) = ([], 0)
        var isClosed = false
        while !isClosed {
            for post in rest { runPost(post) }
            (rest, isClosed) = mailbox.withLock { mailbox in
                defer { mailbox.posts = [] }
                mailbox.isClosed = mailbox.posts.isEmpty
                return (mailbox.posts[...], mailbox.isClosed)
            }
        }
        state = .closed
        for completion in completions { completion() }
        completions = []
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
