import Dispatch

/// A serial queue of the engine, of its log, or of a node's part in a cluster. Simulations put one that they drive in place of a
/// `DispatchQueue`.
package protocol SerialQueue: AnyObject, Sendable {
    /// Runs a closure after everything that the queue has to run.
    func async(_ body: @escaping @Sendable () -> Void)

    /// Runs a closure on the queue later, by the queue's own clock.
    func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void)

    /// Runs a closure after everything that the queue has to run, and waits for it.
    func enter(_ body: () -> Void)

    /// Stops the process unless this queue runs the caller.
    func check()
}

extension DispatchQueue: SerialQueue {
    package func async(_ body: @escaping @Sendable () -> Void) { async(execute: body) }

    package func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
    }

    package func enter(_ body: () -> Void) { sync(execute: body) }

    package func check() { dispatchPrecondition(condition: .onQueue(self)) }
}
