/// The rows of one measure's table, each with a bar on a common axis.
struct BarRows {
    private let comparison: Report.Comparison
    private let index: Int
    private let measure: Report.Comparison.Measure
    private let scale: Scale
    /// Belfry's median.
    private let ours: Double?

    init(_ comparison: Report.Comparison, _ index: Int) {
        (self.comparison, self.index, measure) = (comparison, index, comparison.measures[index])
        let readings = comparison.contenders.compactMap { $0.reading(index) }
        let ours = comparison.contenders.first { $0.role == .belfry }?.reading(index)?.value.median
        self.ours = ours
        let values = readings.flatMap {
            [$0.value.least, $0.value.greatest, $0.value.median, Self.mark($0, ours) ?? .nan]
        }
        scale = .beside(values.filter(Plot.canShow))
    }

    /// The heading of the value column; a single measurement has no median.
    var kind: String {
        comparison.contenders.contains { $0.reading(index)?.value.range != nil } ? "median" : "value"
    }

    var isLogarithmic: Bool { scale.kind == .logarithmic }

    /// Returns the axis as a separate row, which is also shown where headings are hidden.
    func axis(hasGoal: Bool) -> Markup {
        """
        <tr class="ticks" aria-hidden="true"><td></td><td class="bar"><svg width="100%" height="20">\
        \(scale.ticks.map { tick -> Markup in
            "<text x=\"\(tick.place * 100)%\" y=\"15\">\(tick.label)</text>"
        })</svg></td><td></td><td></td>\(hasGoal ? "<td></td>" : .empty as Markup)</tr>

        """
    }

    func row(_ contender: Report.Comparison.Contender, hasGoal: Bool) -> Markup {
        let reading = contender.reading(index)
        let value = reading.map { cell($0.value, measure.unit, nil) } ?? "not measured"
        let ratio = reading?.ratio.map { cell($0, "×", reading?.goal) }
        let goal = goal(reading)
        return """
            <tr class="\(contender.role.rawValue)"><td class="name">\(contender.name)</td>\
            <td class="bar">\(reading.map { picture($0, of: contender) } ?? .empty)</td>\
            \(Stacked.cell(kind, value, "n"))\
            \(Stacked.cell("Belfry / this server, \(measure.whatIsGood)", ratio ?? "–", ratio == nil ? "n none" : "n"))\
            \(hasGoal ? Stacked.cell("goal", goal ?? "–", goal == nil ? "none" : "") : .empty)</tr>

            """
    }

    private func goal(_ reading: Report.Comparison.Reading?) -> Markup? {
        guard let goal = reading?.goal, let verdict = reading?.verdict else { return nil }
        return "\(Amount.text(goal, "×")) \(verdict.markup)"
    }

    /// Formats a value; a single measurement has no spread.
    private func cell(_ spread: Report.Comparison.Spread, _ unit: String, _ goal: Report.Goal?) -> Markup {
        let range: Markup = spread.range.map { "<small>\($0.text(deciding: goal))</small>" } ?? .empty
        return "<b>\(Amount.text(spread.median, unit, deciding: goal))</b>\(range)"
    }

    /// Returns the value at which Belfry would just reach the goal. Goals apply to the ratio, whose median is taken
    /// over the rounds, not over the two medians. The mark is therefore as far from Belfry's median as the ratio is
    /// from the goal.
    private static func mark(_ reading: Report.Comparison.Reading, _ ours: Double?) -> Double? {
        guard let ours, let ratio = reading.ratio?.median, ratio > 0 else { return nil }
        switch reading.goal {
        case .atMost(let bound), .atLeast(let bound): return ours * bound / ratio
        case nil: return nil
        }
    }

    private func percent(_ value: Double) -> Double { Plot.canShow(value) ? scale.place(value) * 100 : 0 }

    /// Draws in percent of the cell, to fit any width.
    private func picture(_ reading: Report.Comparison.Reading, of contender: Report.Comparison.Contender) -> Markup {
        let value = reading.value
        let median = percent(value.median)
        var drawn: Markup =
            isLogarithmic ? .empty : "<rect x=\"0\" y=\"9\" width=\"\(median)%\" height=\"18\" rx=\"2\"/>"
        if let range = value.range {
            let (least, most) = (percent(range.lowerBound), percent(range.upperBound))
            drawn += """
                <line x1="\(least)%" y1="18" x2="\(most)%" y2="18"/>\
                <line x1="\(least)%" y1="13" x2="\(least)%" y2="23"/><line x1="\(most)%" y1="13" x2="\(most)%" y2="23"/>
                """
            for round in reading.rounds ?? [] {
                drawn += "<circle class=\"round\" cx=\"\(percent(round))%\" cy=\"18\" r=\"2.5\"/>"
            }
        }
        if isLogarithmic { drawn += "<circle class=\"median\" cx=\"\(median)%\" cy=\"18\" r=\"6.5\"/>" }
        return """
            <svg width="100%" height="36" role="img" aria-label="\(spoken(reading, contender.name))">\
            \(scale.ticks.map { upright("grid", $0.place * 100) })\(ours.map { upright("ours", percent($0)) } ?? .empty)\
            \(drawn)\(Self.mark(reading, ours).map(diamond) ?? .empty)</svg>
            """
    }

    private func upright(_ kind: String, _ percent: Double) -> Markup {
        "<line class=\"\(kind)\" x1=\"\(percent)%\" y1=\"0\" x2=\"\(percent)%\" y2=\"36\"/>"
    }

    /// Draws a nested SVG, because paths cannot have coordinates in percent.
    private func diamond(_ value: Double) -> Markup {
        """
        <svg class="mark" x="\(percent(value))%" y="30" width="1" height="1"><path d="M0 -6L6 0L0 6L-6 0Z"/></svg>
        """
    }

    private func spoken(_ reading: Report.Comparison.Reading, _ name: String) -> String {
        let value = reading.value
        var text = "\(name): \(measure.name) \(Amount.text(value.median, measure.unit))"
        if let range = value.range { text += ", rounds from \(range.text())" }
        if let ratio = reading.ratio { text += "; Belfry / \(name) \(Amount.text(ratio.median))" }
        return text
    }
}
