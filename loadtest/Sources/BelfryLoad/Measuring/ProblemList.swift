/// A list of problems that keeps the first descriptions and the total number.
struct ProblemList: Codable, Equatable, Sendable {
    static let limit = 20
    private var first: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func add(_ problem: @autoclosure () -> String) {
        count += 1
        if first.count < Self.limit { first.append(problem()) }
    }

    mutating func add(_ problems: [String]) {
        for problem in problems { add(problem) }
    }

    mutating func merge(_ other: ProblemList) {
        first += other.first.prefix(max(0, Self.limit - first.count))
        count += other.count
    }

    /// The descriptions, at most `limit` lines.
    var lines: [String] {
        guard count > Self.limit else { return first }
        return first.dropLast() + ["and \(count - Self.limit + 1) more problems"]
    }
}
