/// A value that many connections share: each holds a reference instead of a copy.
package final class Shared<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
