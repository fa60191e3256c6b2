import Dispatch

/// A loop's timers: the wheel and the source that advances it. Touched on the queue of the owning loop only.
///
/// While no timer is pending, the source is set to the distant future rather than suspended. It does not wake up either
/// way, but a suspended source must not be released, and it catches up on the ticks it missed.
final class LoopTimers {
    private let source: any DispatchSourceTimer
    private let start = ContinuousClock.now
    private let nanosecondsPerTick: Int64
    private var wheel = TimerWheel<() -> Void>()
    private var isTicking = false
    private var isClosed = false
    /// Ticks the source has delivered, for tests and metrics.
    private(set) var tickCount = 0

    init(queue: DispatchQueue, tick: Duration) {
        nanosecondsPerTick = tick.nanoseconds
        precondition(nanosecondsPerTick > 0, "a tick takes time")
        source = DispatchSource.makeTimerSource(queue: queue)
    }

    func activate(onTick: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: onTick)
        source.setCancelHandler(handler: onCancel)
        source.schedule(deadline: .distantFuture)
        source.activate()
    }

    /// Drops the timers and cancels the source, which then calls `onCancel`.
    func close() {
        isClosed = true
        source.cancel()
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
        let token = wheel.schedule(body, at: UInt64(deadline / nanosecondsPerTick))
        if !isTicking { startTicking(elapsed: elapsed) }
        return token
    }

    func cancel(_ token: TimerToken) {
        // The source keeps ticking after the last cancel: the next tick stops it, and a timer scheduled meanwhile costs
        // nothing. Release the closure after the change, because the deinit of something it held may call back here.
        let dropped = wheel.cancel(token)
        withExtendedLifetime(dropped) {}
    }

    func tick() {
        tickCount += 1
        let elapsed = (ContinuousClock.now - start).nanoseconds
        wheel.advance(to: UInt64(elapsed / nanosecondsPerTick))
    }

    /// Runs due timers, at most `limit`.
    ///
    /// - Returns: Whether more are due.
    func runDue(limit: Int) -> Bool {
        for _ in 0..<limit {
            guard let body = wheel.popDue() else { break }
            body()
        }
        if wheel.isEmpty { stopTicking() }
        return wheel.hasDue
    }

    private func startTicking(elapsed: Int64) {
        isTicking = true
        let untilNext = nanosecondsPerTick - elapsed % nanosecondsPerTick
        source.schedule(
            deadline: .now() + .nanoseconds(Int(untilNext)), repeating: .nanoseconds(Int(nanosecondsPerTick)),
            leeway: .nanoseconds(Int(nanosecondsPerTick / 10)))
    }

    private func stopTicking() {
        guard isTicking, !isClosed else { return }
        isTicking = false
        source.schedule(deadline: .distantFuture)
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
