import EventLoops

/// A loop as its connections use it. All members except `post` are used on the loop's own queue.
package protocol ConnectionLoop: AnyObject, Sendable {
    var index: Int { get }
    /// Runs a closure on the loop, in call order. Callable from any queue.
    func post(_ work: @escaping @Sendable () -> Void)
    /// Like `post`, but if this loop is waiting, another loop may run the closure on its own thread, in a turn of this
    /// loop.
    func lend(_ work: @escaping @Sendable () -> Void)
    /// Whether another loop's thread runs the current turn; such a turn must be short.
    var isLent: Bool { get }
    /// Traps unless called on the loop, as far as the loop can tell.
    func assertOnLoop()
    func atEndOfTurn(_ hook: @escaping () -> Void)
    /// Whether the caller is inside a turn of this loop.
    var isInTurn: Bool { get }
    func now() -> ContinuousClock.Instant
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken
    func cancel(_ token: TimerToken)
}

extension ConnectionLoop {
    /// For loops without threads.
    package func lend(_ work: @escaping @Sendable () -> Void) { post(work) }
    package var isLent: Bool { false }
}

extension EventLoop: ConnectionLoop {}
