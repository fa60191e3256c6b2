/// An optional value on the heap, for large values that most instances of their type lack.
///
/// A struct with several of them stays small enough to be passed by copying. On the wire it looks like the bare
/// optional: absent if `nil`.
@propertyWrapper
public struct Boxed<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
    /// A class for the storage only: replacing the value replaces the box.
    public final class Box: Sendable {
        /// The boxed value.
        public let value: Value
        fileprivate init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// The value in place: reading some of its fields does not copy the rest.
    public var projectedValue: Box? { box }

    /// Moves the value to the heap; nil needs no storage.
    public init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    /// The value; nil if there is none.
    public var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }

    /// Compares the values; equal boxes are equal at once.
    public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.wrappedValue == b.wrappedValue }
    /// Hashes the value itself, wherever it is stored.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Boxed: Codable {
    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(wrappedValue: container.decodeNil() ? nil : try container.decode(Value.self))
    }

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

// Chosen by the compiler for the properties of this module's `Codable` types, instead of the wrapper's own coding.

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ boxed: Boxed<Value>, forKey key: Key) throws {
        try encodeIfPresent(boxed.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(_ type: Boxed<Value>.Type, forKey key: Key) throws -> Boxed<Value> {
        Boxed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
