/// Writes shapes as JSON Schema (2020-12), with examples.
struct SchemaWriter {
    let components: [String: Component]

    static func reference(_ name: String) -> JSONValue { ["$ref": .text("#/components/schemas/" + name)] }

    func schema(_ shape: Shape) -> JSONValue {
        switch shape {
        case .text: ["type": "string"]
        case .flag: ["type": "boolean"]
        case .integer(let least?): ["type": "integer", "format": "int64", "minimum": .number(least)]
        case .integer: ["type": "integer", "format": "int64"]
        case .real: ["type": "number"]
        case .list(let inner): ["type": "array", "items": schema(inner)]
        case .map(let inner): ["type": "object", "additionalProperties": schema(inner)]
        case .named(let name): Self.reference(name)
        }
    }

    private func schema(_ component: Component, named name: String) -> JSONValue {
        switch component {
        case .choice(let texts): ["type": "string", "enum": .list(texts.map { .text($0) })]
        case .special(let schema, _): schema
        case .object(let properties):
            schema(properties, of: name)
        }
    }

    private func schema(_ properties: [Component.Property], of name: String) -> JSONValue {
        let required = properties.filter(\.isRequired).map { JSONValue.text($0.name) }
        let fields = properties.map { property in
            let constraints = FieldNotes.constraints(property.name, property.shape, of: name)
            return (property.name, Self.merged(schema(property.shape), constraints))
        }
        var all: [(String, JSONValue)] = [("type", "object"), ("properties", .object(fields))]
        if !required.isEmpty { all.append(("required", .list(required))) }
        return .object(all)
    }

    /// Merges without duplicate keys; the field's constraints override the type's.
    private static func merged(_ schema: JSONValue, _ constraints: JSONValue) -> JSONValue {
        guard case .object(let own) = schema, case .object(let more) = constraints else { return schema }
        let names = more.map(\.0)
        return .object(own.filter { !names.contains($0.0) } + more)
    }

    var schemas: JSONValue {
        .object(components.sorted { $0.key < $1.key }.map { ($0.key, schema($0.value, named: $0.key)) })
    }

    // MARK: Examples

    /// Returns an example with the required fields and those optional ones that make it meaningful.
    func example(_ shape: Shape, name: String = "") -> JSONValue {
        switch shape {
        case .text: return FieldNotes.example(name) ?? "text"
        case .flag: return true
        case .integer, .real: return FieldNotes.example(name) ?? 1
        case .list(let inner): return [example(inner, name: name)]
        case .map(let inner): return ["colour": example(inner)]
        case .named(let component):
            switch components[component] {
            case .choice(let texts): return .text(texts.first ?? "")
            case .special(_, let example): return example
            case .object(let properties):
                let shown = properties.filter { $0.isRequired || FieldNotes.usefulInExamples.contains($0.name) }
                return .object(shown.map { ($0.name, example($0.shape, name: $0.name)) })
            case nil: return [:]
            }
        }
    }
}
