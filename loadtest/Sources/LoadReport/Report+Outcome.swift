/// What the views of a report have in common.
extension Report {
    /// The percentiles that tables show.
    static let percentiles: [Double] = [50, 90, 99, 99.9, 99.99, 100]

    /// A goal and what became of it.
    struct Outcome {
        var what: String
        var value: Double
        var unit: String
        var goal: Goal

        var isReached: Bool { goal.holds(for: value) }
    }

    /// All goals, of the figures and of the comparisons, in the order in which they are shown.
    var outcomes: [Outcome] {
        let own = figures.compactMap { figure in
            figure.goal.map { Outcome(what: figure.name, value: figure.value, unit: figure.unit, goal: $0) }
        }
        return own + comparisons.flatMap(\.outcomes)
    }

    /// `fanout`, or `fanout, bursts of 16`.
    var heading: String { title.map { "\(scenario), \($0)" } ?? scenario }

    /// The most telling figure in a few words; nil when there is none.
    var mainFigure: String? {
        if let first = figures.first { return "\(first.name): \(Amount.text(first.value, first.unit))" }
        return comparisons.first?.outcomes.first.map { "\($0.what): \(Amount.text($0.value, $0.unit))" }
    }

    /// How many of so many; a dash where there are none.
    static func share(_ part: Int, of whole: Int) -> String { whole == 0 ? "–" : "\(part) of \(whole)" }

    /// The 99th percentile of the first distribution, with its unit.
    var p99: String? {
        distributions.first.flatMap { first in first.value(at: 99).map { Amount.text($0, first.unit) } }
    }
}

extension Report.Figure {
    /// Nil where nothing is wanted.
    var isReached: Bool? { goal.map { $0.holds(for: value) } }
}

extension Report.Distribution {
    /// - Returns: nil when that percentile was not recorded.
    func value(at percentile: Double) -> Double? {
        points.first { abs($0.percentile - percentile) < 1e-9 }?.value
    }
}

extension Report.Comparison {
    fileprivate var outcomes: [Report.Outcome] {
        contenders.flatMap { contender in
            zip(measures, contender.readings).compactMap { measure, reading -> Report.Outcome? in
                guard let reading, let ratio = reading.ratio, let goal = reading.goal else { return nil }
                return Report.Outcome(
                    what: "\(measure.name), by that of \(contender.name)", value: ratio.median, unit: "×", goal: goal)
            }
        }
    }
}
