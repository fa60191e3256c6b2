/// An optional value stored on the heap, for large values that most instances lack.
///
/// A struct with several boxed properties stays cheap to copy. The JSON form is that of the bare optional: absent if
/// `nil`.
@propertyWrapper
public struct Boxed<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
    /// The immutable storage: setting a new value allocates a new box.
    public final class Box: Sendable {
        /// The boxed value.
        public let value: Value
        fileprivate init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// The box itself, which gives access to single fields without copying the whole value.
    public var projectedValue: Box? { box }

    /// Moves the value to the heap; nil needs no storage.
    public init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    /// The value; nil if there is none.
    public var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }

    /// Compares the values; two references to the same box are equal without a comparison.
    public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.wrappedValue == b.wrappedValue }
    /// Hashes the value, not the box.
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

// The compiler prefers these overloads to the wrapper's own coding when it synthesizes `Codable` in this module.

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
