import Dispatch

/// The serial queue of a node's replica and log, with timers. Simulations put one on simulated time in place of a
/// `DispatchQueue`.
package protocol ReplicaQueue: AnyObject, Sendable {
    /// Runs a closure after everything that the queue has to run.
    func async(_ body: @escaping @Sendable () -> Void)

    func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void)

    /// Stops the process unless this queue runs the caller.
    func check()
}

extension DispatchQueue: ReplicaQueue {
    package func async(_ body: @escaping @Sendable () -> Void) { async(execute: body) }

    package func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
    }

    package func check() { dispatchPrecondition(condition: .onQueue(self)) }
}
