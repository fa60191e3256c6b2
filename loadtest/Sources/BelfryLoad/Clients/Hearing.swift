import LoadReport

/// A comparison of the messages sent to a channel with those its subscribers received.
struct Hearing: Codable, Equatable, Sendable {
    private(set) var missing = 0
    private(set) var doubled = 0
    private(set) var outOfOrder = 0
    private(set) var lostConnections = 0

    mutating func add(
        _ name: String, _ findings: Ledger.Findings, losses: [String], to list: inout ProblemList
    ) {
        missing += findings.missing
        doubled += findings.doubled
        outOfOrder += findings.outOfOrder
        lostConnections += losses.count
        if let first = findings.firstMissing {
            list.add("\(name) misses \(findings.missing) messages, first \(first)")
        }
        if findings.doubled > 0 { list.add("\(name) received \(findings.doubled) messages twice") }
        if let step = findings.firstOutOfOrder {
            list.add(
                "\(name) received offset \(step.received), expected \(step.expected) (\(findings.outOfOrder) in all)"
            )
        }
        if let reason = losses.first { list.add("\(name) lost its connection \(losses.count) times, first: \(reason)") }
    }

    mutating func merge(_ other: Hearing) {
        missing += other.missing
        doubled += other.doubled
        outOfOrder += other.outOfOrder
        lostConnections += other.lostConnections
    }

    /// - Parameters:
    ///   - delivered: First deliveries of the run's messages.
    ///   - expected: The expected number.
    func checks(delivered: Int, of expected: Int) -> [Report.Check] {
        [
            .init(
                "every acknowledged message reached every listener once, including the warm-up",
                found: "\(delivered) of \(expected) deliveries, \(missing) missing, \(doubled) duplicated",
                passed: missing == 0 && doubled == 0),
            .init(
                "every listener received every offset in order", found: "\(outOfOrder) steps out of order",
                passed: outOfOrder == 0),
            .init("nobody lost the connection", found: "\(lostConnections) lost", passed: lostConnections == 0),
        ]
    }
}
