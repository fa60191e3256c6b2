/// Helpers shared by all views of a report.
extension Report {
    /// The percentiles that tables show.
    static let percentiles: [Double] = [50, 90, 99, 99.9, 99.99, 100]

    /// A goal and its verdict.
    struct Outcome {
        var what: String
        var value: Double
        var unit: String
        var spread: ClosedRange<Double>?
        var goal: Goal

        var verdict: Verdict { goal.verdict(value, spread: spread) }
    }

    /// The numbers of goals that were reached, left open and missed.
    struct Score {
        private(set) var reached = 0
        private(set) var withinSpread = 0
        private(set) var missed = 0

        init(_ outcomes: [Outcome]) {
            for outcome in outcomes {
                switch outcome.verdict {
                case .reached: reached += 1
                case .withinSpread: withinSpread += 1
                case .missed: missed += 1
                }
            }
        }

        /// The goals that were not reached, in words: `; 3 within the spread, 2 missed`.
        var rest: String {
            let parts = [(withinSpread, "within the spread"), (missed, "missed")].filter { $0.0 > 0 }
            return parts.isEmpty ? "" : "; " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        }

        /// The score in short: `1 of 6`, `1 of 6, 3 open`; a dash if there are no goals.
        var short: String {
            let share = Report.share(reached, of: reached + withinSpread + missed)
            return withinSpread > 0 ? "\(share), \(withinSpread) open" : share
        }
    }

    /// The goals of all figures and comparisons, in display order.
    var outcomes: [Outcome] {
        let own = figures.compactMap { figure in
            figure.goal.map {
                Outcome(
                    what: figure.name, value: figure.value, unit: figure.unit, spread: figure.spread, goal: $0)
            }
        }
        return own + comparisons.flatMap(\.outcomes)
    }

    /// The scenario with its title, if any: `fanout`, `fanout, bursts of 16`.
    var heading: String { title.map { "\(scenario), \($0)" } ?? scenario }

    /// The most informative figure in a few words; nil if there is none.
    var mainFigure: String? {
        if let first = figures.first {
            return "\(first.name): \(Amount.text(first.value, first.unit, deciding: first.goal))"
        }
        return comparisons.first?.outcomes.first.map {
            "\($0.what): \(Amount.text($0.value, $0.unit, deciding: $0.goal))"
        }
    }

    /// Returns `1 of 6`; a dash if the whole is 0.
    static func share(_ part: Int, of whole: Int) -> String { whole == 0 ? "–" : "\(part) of \(whole)" }

    /// The 99th percentile of the first distribution, with its unit.
    var p99: String? {
        distributions.first.flatMap { first in first.value(at: 99).map { Amount.text($0, first.unit) } }
    }
}

extension Report.Figure {
    /// The verdict on the goal; nil without a goal.
    var verdict: Report.Verdict? { goal.map { $0.verdict(value, spread: spread) } }

    /// Whether the goal is reached; nil without a goal, or if the spread leaves it open.
    var isReached: Bool? {
        switch verdict {
        case .reached: true
        case .missed: false
        case .withinSpread, nil: nil
        }
    }
}

extension Report.Distribution {
    /// - Returns: nil if that percentile was not recorded.
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
                    what: "\(measure.name), Belfry / \(contender.name)", value: ratio.median, unit: "×",
                    spread: ratio.range, goal: goal)
            }
        }
    }
}
