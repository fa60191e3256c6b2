/// The JSON shape of a wire type.
indirect enum Shape: Equatable, Sendable {
    case text
    case flag
    /// A 64-bit integer; `least` is 0 for unsigned types.
    case integer(least: Int64?)
    case real
    case list(Shape)
    /// An object with arbitrary keys.
    case map(Shape)
    /// A reference to a named component.
    case named(String)
}

/// A named shape, which appears once per document.
enum Component: Equatable, Sendable {
    struct Property: Equatable, Sendable {
        let name: String
        let shape: Shape
        /// Whether the field is always present. Absent fields are omitted, never `null`.
        var isRequired: Bool
    }

    case object([Property])
    /// One of these strings.
    case choice([String])
    /// An id or another value that is not decoded field by field, with its schema and an example.
    case special(schema: JSONValue, example: JSONValue)

    var properties: [Property] {
        guard case .object(let properties) = self else { return [] }
        return properties
    }
}
