/// A loop's timers, in ticks. Touched on the queue of the owning loop only.
final class LoopTimers {
    private let start = ContinuousClock.now
    private let nanosecondsPerTick: Int64
    private var wheel = TimerWheel<() -> Void>()
    private var isClosed = false
    /// Ticks that the loop has woken up for, for tests and metrics.
    private(set) var tickCount = 0

    init(tick: Duration) {
        nanosecondsPerTick = tick.nanoseconds
        precondition(nanosecondsPerTick > 0, "a tick takes time")
    }

    /// Drops the timers.
    func close() {
        isClosed = true
        // Swap first: the deinit of something a closure held may call back here.
        let dropped = wheel
        wheel = TimerWheel()
        withExtendedLifetime(dropped) {}
    }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        guard !isClosed else { return .none }
        let elapsed = (ContinuousClock.now - start).nanoseconds
        if wheel.isEmpty { wheel.advance(to: UInt64(elapsed / nanosecondsPerTick)) }
        // Round up, so that a timer is never early.
        let deadline = elapsed + delay.nanoseconds + nanosecondsPerTick - 1
        return wheel.schedule(body, at: UInt64(deadline / nanosecondsPerTick))
    }

    func cancel(_ token: TimerToken) {
        // Release the closure after the change, because the deinit of something it held may call back here.
        let dropped = wheel.cancel(token)
        withExtendedLifetime(dropped) {}
    }

    var hasPending: Bool { !wheel.isEmpty }

    /// Whether timers wait that are due already.
    var hasDue: Bool { wheel.hasDue }

    /// The time until the wheel moves on, rounded up; -1 while no timer is pending.
    func millisecondsToNextTick(_ now: ContinuousClock.Instant) -> Int32 {
        guard !wheel.isEmpty else { return -1 }
        let rest = Int64(wheel.tick + 1) * nanosecondsPerTick - (now - start).nanoseconds
        return Int32(clamping: (max(0, rest) + 999_999) / 1_000_000)
    }

    func advance(to now: ContinuousClock.Instant) {
        guard !wheel.isEmpty else { return }
        let tick = UInt64((now - start).nanoseconds / nanosecondsPerTick)
        guard tick > wheel.tick else { return }
        tickCount += 1
        wheel.advance(to: tick)
    }

    /// Runs due timers, at most `limit`.
    func runDue(limit: Int) {
        for _ in 0..<limit {
            guard let body = wheel.popDue() else { return }
            body()
        }
    }
}

extension Duration {
    /// Whole nanoseconds, rounded up; 0 when negative, and at most about 31 years so that sums cannot overflow.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if self <= .zero { return 0 }
        if seconds >= 1_000_000_000 { return 1_000_000_000_000_000_000 }
        return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    }
}
