/// What a value of a wire type looks like as JSON.
indirect enum Shape: Equatable, Sendable {
    case text
    case flag
    /// 64 bits; `least` is 0 for unsigned ones.
    case integer(least: Int64?)
    case real
    case list(Shape)
    /// An object with any keys.
    case map(Shape)
    /// One of the named components.
    case named(String)
}

/// A shape that has a name of its own, and stands once in a document.
enum Component: Equatable, Sendable {
    struct Property: Equatable, Sendable {
        let name: String
        let shape: Shape
        /// Whether it is there always; what is absent is never `null`.
        var isRequired: Bool
    }

    case object([Property])
    /// One of these texts.
    case choice([String])
    /// An id or another value that is not read field by field: its schema and one such value.
    case special(schema: JSONValue, example: JSONValue)

    var properties: [Property] {
        guard case .object(let properties) = self else { return [] }
        return properties
    }
}
