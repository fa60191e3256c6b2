/// One thing that the gateway does for every frame, command or event, by itself: timed by the micro-benchmarks, and held
/// against the allocations that it may make.
package struct Workload: Sendable {
    package let name: String
    /// Sets everything up, and gives what is measured: one unit, each time it is called.
    package let prepare: @Sendable () throws -> () throws -> Void

    package init(_ name: String, _ prepare: @escaping @Sendable () throws -> () throws -> Void) {
        (self.name, self.prepare) = (name, prepare)
    }

    package static let all = frames + texts + chat + deliveries + journal
}

/// Keeps a result from being left out by the optimizer.
@inline(never)
package func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }

/// A workload's own input was refused: a mistake in the workload.
struct Unexpected: Error {}
