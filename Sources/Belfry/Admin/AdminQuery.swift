import ChatDomain

/// An error in a query to the admin listener.
struct BadAdminQuery: Error, Equatable, CustomStringConvertible {
    let description: String
}

/// The query parameters of an admin request: `a=1&b=%23ann`. A `+` is literal, not a space.
struct AdminQuery: Equatable {
    private let values: [String: String]

    /// - Parameter names: The allowed names.
    /// - Throws: If a name is unknown or repeated, or an escape is not valid UTF-8.
    init(_ path: String?, names: Set<String>) throws(BadAdminQuery) {
        var values: [String: String] = [:]
        let query = (path ?? "").drop { $0 != "?" }.dropFirst()
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0]),
                let value = parts.count == 2 ? PercentEncoding.decode(parts[1]) : ""
            else {
                throw BadAdminQuery(description: "an escape is not valid UTF-8")
            }
            guard names.contains(name) else {
                let known = names.isEmpty ? "none are allowed" : "allowed are " + names.sorted().joined(separator: ", ")
                throw BadAdminQuery(description: "unknown parameter: \(known)")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw BadAdminQuery(description: "\(name) is given more than once")
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    /// - Throws: When the value is not a number in the range.
    func number(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws(BadAdminQuery) -> Int {
        guard let text = values[name] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw BadAdminQuery(description: "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the value parsed by `make`, or nil when the parameter is absent.
    ///
    /// - Parameter expectation: A description of a valid value, for the error.
    /// - Throws: When `make` returns nil.
    func value<Value>(
        _ name: String, _ expectation: String, _ make: (String) -> Value?
    ) throws(BadAdminQuery) -> Value? {
        guard let text = values[name] else { return nil }
        guard let value = make(text) else { throw BadAdminQuery(description: "\(name) must be \(expectation)") }
        return value
    }
}
