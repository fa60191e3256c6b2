/// Derives the shapes of wire types by having them decode themselves from a recording decoder.
///
/// A component is registered under its type's name before its fields are visited, so types may be recursive.
final class ShapeRecorder {
    private(set) var components: [String: Component] = [:]
    /// Types whose shape could not be derived; a test keeps this empty.
    private(set) var gaps: [String] = []

    func shape(of type: any Decodable.Type) -> Shape {
        if let primitive = KnownTypes.primitive(type) { return primitive }
        if let collected = type as? any Collected.Type {
            let inner = shape(of: collected.inner)
            return collected.isMap ? .map(inner) : .list(inner)
        }
        let name = Self.name(type)
        guard components[name] == nil else { return .named(name) }
        if let known = KnownTypes.component(of: type) {
            components[name] = known
            return .named(name)
        }
        components[name] = .object([])
        guard let fields = fields(of: type) else {
            gaps.append(name)
            return .named(name)
        }
        if let single = fields.single {
            components[name] = nil
            return single
        }
        components[name] = .object(fields.properties)
        return .named(name)
    }

    /// Returns a minimal sample value of a type.
    func sample<T: Decodable>(_ type: T.Type, attempt: Int = 0) throws -> T {
        if let value = KnownTypes.sample(type, attempt: attempt) { return value }
        if let collected = type as? any Collected.Type, let empty = collected.init() as? T { return empty }
        if let all = type as? any CaseIterable.Type, let first = Self.first(all) as? T { return first }
        var failure: (any Error)?
        for attempt in KnownTypes.texts.indices {
            do {
                return try T(from: RecordingDecoder(self, attempt: attempt))
            } catch {
                failure = error
            }
        }
        throw failure ?? Unreadable()
    }

    struct Unreadable: Error {}

    private static func first<E: CaseIterable>(_ type: E.Type) -> Any? { type.allCases.first }

    private func fields(of type: any Decodable.Type) -> RecordedFields? {
        for attempt in KnownTypes.texts.indices {
            let decoder = RecordingDecoder(self, attempt: attempt)
            if (try? type.init(from: decoder)) != nil { return decoder.fields }
        }
        return nil
    }

    /// `ChatModel.ListMessages.Response` becomes `ListMessagesResponse`.
    static func name(_ type: any Decodable.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().joined().filter { $0.isLetter || $0.isNumber }
    }
}

/// The fields that one type decoded.
final class RecordedFields {
    private(set) var properties: [Component.Property] = []
    /// Set when the type decodes a single value instead of an object.
    var single: Shape?

    func record(_ name: String, _ shape: Shape, isRequired: Bool) {
        if let index = properties.firstIndex(where: { $0.name == name }) {
            properties[index].isRequired = properties[index].isRequired || isRequired
        } else {
            properties.append(Component.Property(name: name, shape: shape, isRequired: isRequired))
        }
    }
}
