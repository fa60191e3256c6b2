/// The stored properties of some values, and which of them are filled in at least one value.
struct FilledFields {
    private var filled: [String: Set<String>] = [:]
    private var known: [String: Set<String>] = [:]

    var types: [String] { known.keys.sorted() }

    /// Returns the properties of a type that no value fills; `["never met"]` if the type never occurred.
    func unfilled(of type: String) -> [String] {
        guard let known = known[type] else { return ["never met"] }
        return known.subtracting(filled[type] ?? []).sorted()
    }

    mutating func ignore(_ type: String, _ name: String) { known[type]?.remove(name) }

    mutating func look(at value: Any) {
        let mirror = Mirror(reflecting: value)
        let type = "\(mirror.subjectType)"
        for child in mirror.children {
            let content = Mirror(reflecting: child.value)
            if let name = child.label {
                known[type, default: []].insert(name)
                if content.displayStyle != .optional || !content.children.isEmpty {
                    filled[type, default: []].insert(name)
                }
            }
            look(at: child.value)
        }
    }
}
