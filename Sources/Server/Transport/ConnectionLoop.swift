import EventLoops

/// A loop as its connections use it. Everything but `post` belongs to the loop's own queue.
package protocol ConnectionLoop: AnyObject, Sendable {
    var index: Int { get }
    /// Runs a closure on the loop, in call order. From any queue.
    func post(_ work: @escaping @Sendable () -> Void)
    /// Like `post`, for work that another loop may do on its thread, in a turn of this loop, if this one waits.
    func lend(_ work: @escaping @Sendable () -> Void)
    /// Whether another loop's thread runs the current turn, which must be short.
    var isLent: Bool { get }
    /// Traps unless called on the loop's queue, as far as the loop can tell.
    func assertOnLoop()
    func atEndOfTurn(_ hook: @escaping () -> Void)
    /// Whether the caller is inside a turn of this loop that has not ended.
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
