/// The parts of a report as lines.
extension TextTable {
    mutating func figures(_ figures: [Report.Figure]) {
        let hasSpread = figures.contains { $0.spread != nil }
        let hasGoal = figures.contains { $0.goal != nil }
        rows(
            figures.map { figure in
                var row = [figure.name, Amount.text(figure.value, figure.unit)]
                if hasSpread { row.append(Self.spread(figure.spread)) }
                if hasGoal { row.append(Self.goal(figure)) }
                return row
            }, left: hasSpread ? [0, 3] : [0, 2])
    }

    /// One block for each unit.
    mutating func distributions(_ distributions: [Report.Distribution]) {
        var units: [String] = []
        for each in distributions where !units.contains(each.unit) { units.append(each.unit) }
        for unit in units {
            let head = [unit.isEmpty ? "percentiles" : unit, "count"] + Report.percentiles.map(Amount.percentile)
            rows(
                [head]
                    + distributions.filter { $0.unit == unit }.map { each in
                        [each.name, Amount.whole(each.count)]
                            + Report.percentiles.map { each.value(at: $0).map { Amount.text($0) } ?? "–" }
                    })
        }
    }

    /// Its name, and one block for each measure.
    mutating func comparison(_ comparison: Report.Comparison) {
        paragraph("\(comparison.name) (\(Amount.count(comparison.rounds, "round")) of each, in alternation)")
        for (index, measure) in comparison.measures.enumerated() {
            let title = measure.unit.isEmpty ? measure.name : "\(measure.name), \(measure.unit)"
            rows(
                [[title, "median", "rounds", "Belfry by it", "rounds", "goal"]]
                    + comparison.contenders.map { contender in
                        let reading = index < contender.readings.count ? contender.readings[index] : nil
                        guard let reading else { return [contender.name, "–"] }
                        return [contender.name] + Self.cells(reading)
                    }, left: [0, 5])
        }
    }

    mutating func checks(_ checks: [Report.Check]) {
        for check in checks {
            paragraph("\(check.what): \(check.found)", head: check.passed ? "ok    " : "FAIL  ", indent: 6)
        }
        if !checks.isEmpty { gap() }
    }

    private static func cells(_ reading: Report.Comparison.Reading) -> [String] {
        var cells = [Amount.text(reading.value.median), spread(reading.value)]
        guard let ratio = reading.ratio else { return cells }
        cells += [Amount.text(ratio.median, "×"), spread(ratio)]
        if let goal = reading.goal { cells.append(told(goal, "×", goal.holds(for: ratio.median))) }
        return cells
    }

    private static func goal(_ figure: Report.Figure) -> String {
        guard let goal = figure.goal else { return "" }
        return told(goal, figure.unit, goal.holds(for: figure.value))
    }

    private static func told(_ goal: Report.Goal, _ unit: String, _ isReached: Bool) -> String {
        "\(Amount.text(goal, unit)): \(isReached ? "reached" : "NOT reached")"
    }

    private static func spread(_ spread: Report.Comparison.Spread) -> String {
        "\(Amount.text(spread.least)) to \(Amount.text(spread.greatest))"
    }

    private static func spread(_ spread: ClosedRange<Double>?) -> String {
        spread.map { "\(Amount.text($0.lowerBound)) to \(Amount.text($0.upperBound))" } ?? ""
    }
}
