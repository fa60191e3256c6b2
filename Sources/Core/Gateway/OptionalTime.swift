/// A time that may be absent, in the space of a number: an optional takes twice as much, and each connection has many.
@propertyWrapper
package struct OptionalTime: Equatable, Sendable {
    /// The greatest number, which no clock reaches, stands for nil.
    private var time = Int64.max

    package init(wrappedValue: Int64?) { self.wrappedValue = wrappedValue }

    package var wrappedValue: Int64? {
        get { time == .max ? nil : time }
        set { time = newValue ?? .max }
    }
}
