/// What the views of a report have in common.
extension Report {
    /// The percentiles that tables show.
    static let percentiles: [Double] = [50, 90, 99, 99.9, 99.99, 100]

    /// A goal and what became of it.
    struct Outcome {
        var what: String
        var value: Double
        var unit: String
        var spread: ClosedRange<Double>?
        var goal: Goal

        var verdict: Verdict { goal.verdict(value, spread: spread) }
    }

    /// How many goals were reached, how many are open, and how many were missed.
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

        /// `; 3 within the spread, 2 missed`: what was not reached, in words.
        var rest: String {
            let parts = [(withinSpread, "within the spread"), (missed, "missed")].filter { $0.0 > 0 }
            return parts.isEmpty ? "" : "; " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        }

        /// `1 of 6`, `1 of 6, 3 open`; a dash where there are none.
        var short: String {
            let share = Report.share(reached, of: reached + withinSpread + missed)
            return withinSpread > 0 ? "\(share), \(withinSpread) open" : share
        }
    }

    /// All goals, of the figures and of the comparisons, in the order in which they are shown.
    var outcomes: [Outcome] {
        let own = figures.compactMap { figure in
            figure.goal.map {
                Outcome(
                    what: figure.name, value: figure.value, unit: figure.unit, spread: figure.spread, goal: $0)
            }
        }
        return own + comparisons.flatMap(\.outcomes)
    }

    /// `fanout`, or `fanout, bursts of 16`.
    var heading: String { title.map { "\(scenario), \($0)" } ?? scenario }

    /// The most telling figure in a few words; nil when there is none.
    var mainFigure: String? {
        if let first = figures.first {
            return "\(first.name): \(Amount.text(first.value, first.unit, deciding: first.goal))"
        }
        return comparisons.first?.outcomes.first.map {
            "\($0.what): \(Amount.text($0.value, $0.unit, deciding: $0.goal))"
        }
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
    var verdict: Report.Verdict? { goal.map { $0.verdict(value, spread: spread) } }

    /// Whether it is so beyond doubt; nil where nothing is wanted, or where the spread leaves it open.
    var isReached: Bool? {
        switch verdict {
        case .reached: true
        case .missed: false
        case .withinSpread, nil: nil
        }
    }
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
                    what: "\(measure.name), Belfry / \(contender.name)", value: ratio.median, unit: "×",
                    spread: ratio.range, goal: goal)
            }
        }
    }
}
