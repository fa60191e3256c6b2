import ChatDomain
import ChatModel
import Synchronization
import WireProtocol

/// The fields of a command's request and its nested objects, derived from the same shapes as the API documents.
///
/// Maps with client-defined keys (`metadata`, `meta_arrays`) have no unknown fields.
struct KnownFields: Sendable {
    /// The field names of one object in declaration order, and the shapes of those fields that contain objects.
    private struct Object: Sendable {
        var names: [String]
        var nested: [(name: String, shape: Shape)]
    }

    /// By method. Each is derived when its first command arrives, because all of them together take as long as the rest
    /// of the server's start.
    private static let derived = Mutex<[String: KnownFields]>([:])

    /// The fields of the request itself; `nil` if it is not an object.
    private let object: Object?
    /// The objects within it, by the names of their types.
    private let objects: [String: Object]

    private static func of(_ type: any Request.Type) -> KnownFields {
        if let known = derived.withLock({ $0[type.method] }) { return known }
        let known = KnownFields(type)
        derived.withLock { $0[type.method] = known }
        return known
    }

    private init(_ type: any Request.Type) {
        let recorder = ShapeRecorder()
        let shape = recorder.shape(of: type)
        let components = recorder.components
        objects = components.mapValues { component in
            Object(
                names: component.properties.map(\.name),
                nested: component.properties.filter { Self.containsObjects($0.shape, components) }
                    .map { ($0.name, $0.shape) })
        }
        guard case .named(let name) = shape, var object = objects[name] else {
            object = nil
            return
        }
        object.names += type.notYet.filter { !object.names.contains($0) }
        self.object = object
    }

    private static func containsObjects(_ shape: Shape, _ components: [String: Component]) -> Bool {
        switch shape {
        case .text, .flag, .integer, .real: false
        case .list(let inner), .map(let inner): containsObjects(inner, components)
        case .named(let name): if case .object = components[name] { true } else { false }
        }
    }

    /// - Parameter mayActAs: Whether `as_user_id` is among the suggestions.
    /// - Throws: 107 for the first unknown field.
    static func check(_ fields: JSONFields, of type: any Request.Type, mayActAs: Bool) throws(Rejection) {
        let known = of(type)
        guard let object = known.object else { return }
        let asUser = "as_user_id"
        if let name = fields.firstName(outside: object.names, and: asUser) {
            throw refusal(name, at: "", object.names + (mayActAs ? [asUser] : []))
        }
        try known.check(fields, object.nested, "")
    }

    private func check(
        _ fields: JSONFields, _ nested: [(name: String, shape: Shape)], _ path: String
    ) throws(Rejection) {
        for field in nested {
            guard let value = fields.raw(field.name) else { continue }
            try check(value, field.shape, path + field.name)
        }
    }

    /// Leaves values of the wrong type or length to the decoder, which reports the field.
    private func check(_ value: ArraySlice<UInt8>, _ shape: Shape, _ path: String) throws(Rejection) {
        switch shape {
        case .text, .flag, .integer, .real: return
        case .list(let inner):
            let limit = CommandDecoder.limits.elements
            guard let elements = JSONFields.elements(of: value, limit: limit) else { return }
            for (index, element) in elements.enumerated() { try check(element, inner, "\(path)[\(index)]") }
        case .map(let inner):
            guard let fields = try? JSONFields(value) else { return }
            for key in fields.keys {
                guard let element = fields.raw(key) else { continue }
                try check(element, inner, "\(path).\(Self.displayable(key) ?? "?")")
            }
        case .named(let name):
            guard let object = objects[name], let fields = try? JSONFields(value) else { return }
            if let name = fields.firstName(outside: object.names) {
                throw Self.refusal(name, at: path + ".", object.names)
            }
            try check(fields, object.nested, path + ".")
        }
    }

    static func refusal(_ name: String, at path: String, _ known: [String]) -> Rejection {
        guard let displayable = displayable(name) else { return Rejection(.badRequest, "unknown field in the request") }
        let meant = NearestName.of(displayable, among: known).map { "; did you mean \($0)?" } ?? ""
        return Rejection(.badRequest, "unknown field \(path)\(displayable)\(meant)")
    }

    /// Returns the name if it is short and plain enough to repeat to the client.
    private static func displayable(_ name: String) -> String? {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return name
    }
}

extension UploadTarget {
    /// - Throws: 107 for an unknown query field, with the closest known one.
    package static func refuseUnknownFields(path: String, sentBy sender: Caller) throws(Rejection) {
        let asUser = "as_user_id"
        let known = ["channel_id", "name"]
        guard let name = try QueryFields(path: path).firstName(outside: known + [asUser]) else { return }
        throw KnownFields.refusal(name, at: "", known + (sender == .server ? [asUser] : []))
    }
}

/// Guesses the intended name of an unknown field.
enum NearestName {
    /// Returns the shortest name that contains all words of the unknown one in order (`parent_id` →
    /// `parent_message_id`, `operators` → `operator_user_ids`); otherwise the name with the smallest edit distance,
    /// which is at most two or, if that is more, a third of the name's length.
    ///
    /// - Parameter name: At most 64 bytes.
    /// - Returns: Nil when no name is close. Among equals, the first.
    static func of(_ name: String, among known: [String]) -> String? {
        let wanted = words(name)
        let longer = known.filter { contains(wanted, in: words($0)) }
        if let shortest = longer.min(by: { $0.utf8.count < $1.utf8.count }) { return shortest }
        let text = Array(wanted.joined(separator: "_").utf8)
        let reach = max(2, text.count / 3)
        var nearest: (name: String, edits: Int)?
        for candidate in known {
            let edits = distance(text, Array(candidate.utf8))
            if edits <= reach, edits < (nearest?.edits ?? .max) { nearest = (candidate, edits) }
        }
        return nearest?.name
    }

    /// Splits a name into words: `userIds` and `user-ids` have the same words as `user_ids`.
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in name {
            if character == "_" || character == "-" || character == "." || character.isUppercase && !word.isEmpty {
                words.append(word)
                word = ""
            }
            if character.isLetter || character.isNumber { word += character.lowercased() }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }

    private static func contains(_ wanted: [String], in words: [String]) -> Bool {
        guard !wanted.isEmpty else { return false }
        var rest = wanted[...]
        for word in words {
            if let next = rest.first, singular(next) == singular(word) { rest = rest.dropFirst() }
        }
        return rest.isEmpty
    }

    private static func singular(_ word: String) -> Substring { word.hasSuffix("s") ? word.dropLast() : word[...] }

    /// Returns the Levenshtein distance.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, byte) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}

/// The policy for unknown fields in commands.
package enum UnknownFields: String, CaseIterable, Sendable {
    /// Refuse the command with 107, naming the field and the closest known one.
    case refuse
    /// Ignore the field, so that clients newer than the server keep working.
    case ignore
}

/// The policy in effect, which can change while the server runs.
package final class UnknownFieldPolicy: Sendable {
    private let isRefusing = Atomic<Bool>(true)

    package init() {}

    package func adopt(_ policy: UnknownFields) { isRefusing.store(policy == .refuse, ordering: .relaxed) }

    package var refuses: Bool { isRefusing.load(ordering: .relaxed) }
}
