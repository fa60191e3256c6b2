/// The parts of a report as lines.
extension TextTable {
    mutating func figures(_ figures: [Report.Figure]) {
        let hasSpread = figures.contains { $0.spread != nil }
        let hasGoal = figures.contains { $0.goal != nil }
        rows(
            figures.map { figure in
                var row = [figure.name, Amount.text(figure.value, figure.unit, deciding: figure.goal)]
                if hasSpread { row.append(Self.spread(figure.spread, figure.goal)) }
                if hasGoal { row.append(Self.goal(figure)) }
                return row
            }, left: hasSpread ? [0, 3] : [0, 2])
    }

    /// Appends one block per unit.
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

    /// Appends the name, how to read the ratios, what each server is, and one block per measure.
    mutating func comparison(_ comparison: Report.Comparison) {
        paragraph("\(comparison.name) (\(Amount.count(comparison.rounds, "round")) of each, in alternation)")
        paragraph(
            "ratio: the median of Belfry's value divided by this server's in the same round. Below 1 is better"
                + " for Belfry where less is better, above 1 where more is better.")
        gap()
        let names = comparison.contenders.map { Self.printable($0.name).cut(to: 30) }
        let width = (names.map(\.count).max() ?? 0) + 2
        for (name, contender) in zip(names, comparison.contenders) where !contender.about.isEmpty {
            paragraph(contender.about, head: name.padded(to: width), indent: width)
        }
        gap()
        for (index, measure) in comparison.measures.enumerated() {
            let title = measure.unit.isEmpty ? measure.name : "\(measure.name), \(measure.unit)"
            let better = measure.better == .less ? "less is better" : "more is better"
            paragraph("\(title) (\(better))")
            rows(
                [["server", "median", "rounds", "ratio", "rounds", "goal"]]
                    + comparison.contenders.map { contender in
                        let reading = index < contender.readings.count ? contender.readings[index] : nil
                        guard let reading else { return [contender.name, "–"] }
                        return [contender.name] + Self.cells(reading)
                    }, left: [0, 5])
            if let note = measure.note { paragraph("note: " + note, indent: 6) }
            for line in comparison.outliersInWords(index) { paragraph("note: " + line, indent: 6) }
            gap()
        }
    }

    mutating func checks(_ checks: [Report.Check]) {
        for check in checks {
            paragraph("\(check.what): \(check.found)", head: check.passed ? "ok    " : "FAIL  ", indent: 6)
        }
        if !checks.isEmpty { gap() }
    }

    private static func cells(_ reading: Report.Comparison.Reading) -> [String] {
        var cells = [Amount.text(reading.value.median), spread(reading.value.range)]
        guard let ratio = reading.ratio else { return cells }
        cells += [Amount.text(ratio.median, "×", deciding: reading.goal), spread(ratio.range, reading.goal)]
        if let goal = reading.goal, let verdict = reading.verdict { cells.append(goalText(goal, "×", verdict)) }
        return cells
    }

    private static func goal(_ figure: Report.Figure) -> String {
        guard let goal = figure.goal, let verdict = figure.verdict else { return "" }
        return goalText(goal, figure.unit, verdict)
    }

    private static func goalText(_ goal: Report.Goal, _ unit: String, _ verdict: Report.Verdict) -> String {
        let outcome =
            switch verdict {
            case .reached: "reached"
            case .withinSpread: "within the spread"
            case .missed: "NOT reached"
            }
        return "\(Amount.text(goal, unit)): \(outcome)"
    }

    private static func spread(_ spread: ClosedRange<Double>?, _ goal: Report.Goal? = nil) -> String {
        guard let spread else { return "" }
        return Amount.text(spread.lowerBound, deciding: goal) + " to " + Amount.text(spread.upperBound, deciding: goal)
    }
}
