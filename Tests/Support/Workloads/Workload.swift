/// One operation that the gateway performs for every frame, command or event. The micro-benchmarks time it, and a test
/// compares its allocations with the recorded number.
package struct Workload: Sendable {
    package let name: String
    /// Sets everything up and returns the measured operation, one unit per call.
    package let prepare: @Sendable () throws -> () throws -> Void

    package init(_ name: String, _ prepare: @escaping @Sendable () throws -> () throws -> Void) {
        (self.name, self.prepare) = (name, prepare)
    }

    package static let all = frames + texts + chat + deliveries + journal
}

/// Keeps the optimizer from removing a result.
@inline(never)
package func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }

/// A workload's own input was refused, which is a bug in the workload.
struct Unexpected: Error {}
